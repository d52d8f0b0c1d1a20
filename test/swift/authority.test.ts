import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  CONTENTS,
  POINTERS,
  verdictOf,
  WAYS,
  WHO,
  type Pointer,
  type Way,
  type Who,
} from '../support/authority-table.js';
import { describeWith } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import { PlainSwift } from '../support/plain-swift.js';
import type { S3Answer } from '../support/s3-client.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';
import { mapLimited } from '../../src/lib/promises.js';
import { Gateway } from './authority/gateway.js';
import { done, hex, md5, World } from './authority/world.js';

/** Requests under way at once. */
const CONCURRENCY = 12;
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));
const FOREIGN = [CONTENTS.foreign, CONTENTS.closed, CONTENTS.granted];

/** Nothing of what lies behind a pointer: no byte, size or ETag. */
function expectNothingTold({ text, headers }: S3Answer): void {
  const told = text + JSON.stringify(headers);
  for (const content of FOREIGN) {
    expect(told).to.not.include(content.slice(0, 12));
    expect(told).to.not.include(md5(content));
    expect(headers['content-length']).to.not.equal(String(content.length));
  }
}

function expectVerdict(verdict: 'allowed' | 'denied', way: Way, pointer: Pointer, got: S3Answer) {
  const content = CONTENTS[pointer.content];
  if (verdict === 'denied') {
    expect(got.status, got.text).to.equal(403);
    if (way !== 'HEAD') expect(got.code).to.equal('AccessDenied');
    expectNothingTold(got);
    return;
  }
  expect(got.status, got.text).to.be.oneOf([200, 206]);
  if (way === 'range') expect(got.text).to.equal(content.slice(0, 5));
  else if (way !== 'HEAD' && way !== 'tags') {
    expect(got.text).to.equal(content);
  }
}

describeWith(SWIFT_NEEDS, 'Swift: whose rights count behind a pointer', function () {
  this.timeout(120_000);
  let lab: SwiftLab;
  let world: World;
  let targets: readonly string[];
  const gateways: Gateway[] = [];

  before(async function () {
    this.timeout(180_000);
    lab = await sharedSwiftLab();
    world = await World.open(lab);
    for (const isDirect of [false, true]) gateways.push(await Gateway.open(lab, world, isDirect));
    const [first] = gateways;
    if (first === undefined) throw new Error('there is no gateway');
    await world.point(first);
    targets = await world.targets();
  });

  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  for (const pointer of POINTERS) {
    it(`${pointer.what}: ${pointer.readers}`, async () => {
      const cells = gateways.flatMap((gateway) =>
        WAYS.flatMap((way) => WHO.map((who) => ({ gateway, way, who }))),
      );
      const wrong: string[] = [];
      await mapLimited(cells, CONCURRENCY, async ({ gateway, way, who }) => {
        const verdict = verdictOf(pointer, way, who);
        // Proxies copy, also for a gateway with direct reads.
        const isRepeated = gateway !== gateways[0] && way.endsWith('copy');
        if (verdict === undefined || isRepeated) return;
        const got = await gateway.read(pointer, way, who);
        try {
          expectVerdict(verdict, way, pointer, got);
        } catch (error) {
          const where = gateways.indexOf(gateway) === 0 ? 'proxies' : 'direct';
          wrong.push(`${where} ${way} ${who}: ${String(error)}`);
        }
      });
      expect(wrong).to.deep.equal([]);
    });
  }

  it('nothing is changed through a link that is none of ours', async () => {
    const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    const restore = '<RestoreRequest><Days>1</Days></RestoreRequest>';
    for (const gateway of gateways) {
      for (const { name, bucket, change } of POINTERS) {
        if (change === undefined) continue;
        const path = `/${world.path(bucket, name)}`;
        for (const who of [gateway.owner, gateway.member]) {
          for (const got of [
            await who.put(`${path}?tagging`, tags),
            await who.delete(`${path}?tagging`),
            await who.put(`${path}?acl`, '', { 'x-amz-acl': 'private' }),
            await who.send({ method: 'POST', path: `${path}?restore`, body: restore }),
          ]) {
            expect(got.status, `${name}: ${got.text}`).to.be.oneOf([403, 405]);
          }
        }
      }
    }
    expect(await world.targets()).to.deep.equal(targets);
  });

  it('what is written over where versions are kept takes nothing of others along', async () => {
    const [{ owner, member }] = gateways as [Gateway];
    const { path, member: swift } = {
      path: (key: string) => world.path('bo', key),
      member: world.member,
    };
    await swift.request('PUT', path('o'), {}, CONTENTS.open);
    const links = { inside: ['bo', 'o'], closed: ['x', 's'], foreign: ['vx', 's'] } as const;
    for (const [name, [container, object]] of Object.entries(links)) {
      await swift.request('PUT', path(name), world.linkTo(container, object));
    }
    await swift.request('PUT', path('dynamic'), { 'X-Object-Manifest': world.path('x', 'p/') });
    const manifest = JSON.stringify([{ path: `/${world.path('x', 's')}` }]);
    await world.owner.request('PUT', `${path('static')}?multipart-manifest=put`, {}, manifest);
    const kept = { inside: 1, closed: 0, foreign: 0, dynamic: 0, static: 1 };
    for (const [name, count] of Object.entries(kept)) {
      const denied = await member.get(`/${path(name)}`);
      expect(denied.status, `${name}: ${denied.text}`).to.equal(name === 'inside' ? 200 : 403);
      // The owner's rights are more than those of the bucket's readers.
      const writer = name === 'foreign' ? member : owner;
      await done(writer.put(`/${path(name)}`, 'new'));
      expect((await member.get(`/${path(name)}`)).text).to.equal('new');
      const archive = `${world.named('bo')}+versions`;
      const versions = await world.names(archive, `${hex(name)}/`);
      expect(versions.length, name).to.equal(count + 1);
      for (const version of versions) {
        const { text } = await member.get(`/${path(name)}?versionId=${version.slice(-32)}`);
        for (const content of FOREIGN) expect(text).to.not.include(content);
      }
      expect((await member.delete(`/${path(name)}`)).status).to.equal(204);
    }
    expect(await world.targets()).to.deep.equal(targets);
  });

  it('the janitor and lifecycle rules leave alone what pointers lead to', async () => {
    const [{ owner, folder }] = gateways as [Gateway];
    const rule =
      '<Rule><ID>r</ID><Status>Enabled</Status><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>' +
      '<Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule>';
    const body = `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`;
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    for (const bucket of ['b', 'bv', 'bo']) {
      await done(owner.put(`/${world.named(bucket)}?lifecycle`, body, headers));
    }
    const config = join(folder, 'janitor.json');
    await writeFile(config, JSON.stringify(lab.gatewayKeys()));
    const args = ['janitor', '--once', '--config', config, '--data', join(folder, 'data')];
    const { code, stdout, stderr } = await runProgram('node', [MAIN, ...args]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout + stderr).to.not.match(/Denied|may not read/);
    expect(await world.targets()).to.deep.equal(targets);
    // Both of these have segments that nothing else tells of.
    for (const key of ['parts', 'dlo-posted']) {
      expect((await owner.head(`/${world.path('b', key)}`)).status).to.equal(200);
    }
  });

  it('no part is a link', async () => {
    const [{ member }] = gateways as [Gateway];
    const parts = [
      ['b', 'o', CONTENTS.open],
      ['x', 's', CONTENTS.closed],
      ['vx', 's', CONTENTS.foreign],
    ] as const;
    for (const [container, object, content] of parts) {
      const id = await world.begin(member, 'b', 'of-links');
      const segments = encodeURIComponent(`${world.named('b')}+segments`);
      const part = `${segments}/of-links/${id}/1`;
      await world.member.request('PUT', part, world.linkTo(container, object));
      for (const etag of [md5(content), md5('')]) {
        const got = await world.complete(member, 'b', 'of-links', id, etag);
        expect(got.code, got.text).to.be.oneOf(['AccessDenied', 'InvalidPart']);
      }
      expect((await member.get(`/${world.path('b', 'of-links')}`)).status).to.equal(404);
    }
  });

  it('what Swift grants and takes away counts at the next read', async () => {
    const pointerOf = (name: string) => POINTERS.find((each) => each.name === name)!;
    const granted = pointerOf('link-granted');
    const closed = pointerOf('link-closed');
    const allow = (read: string) =>
      world.owner.request('POST', world.named('x'), { 'X-Container-Read': read });
    for (const gateway of gateways) {
      const status = async (pointer: Pointer, who: Who, referer?: string) =>
        (await gateway.read(pointer, 'GET', who, referer)).status;
      const acl = (read: string) =>
        world.victim.request('POST', world.named('vo'), { 'X-Container-Read': read });
      await acl('');
      expect(await status(granted, 'owner')).to.equal(403);
      await acl('test:tester');
      expect(await status(granted, 'owner')).to.equal(200);
      await allow('test:tester2');
      expect(await status(closed, 'member')).to.equal(200);
      expect(await status(closed, 'anonymous')).to.equal(403);
      await allow('.r:host.example');
      expect(await status(closed, 'anonymous')).to.equal(403);
      expect(await status(closed, 'anonymous', 'http://host.example/page')).to.equal(200);
      await allow('');
      expect(await status(closed, 'member')).to.equal(403);
    }
  });

  it("a reseller admin reads every account's, and an S3 ACL counts under its own name alone", async () => {
    const [gateway] = gateways as [Gateway];
    const admin = gateway.client('admin:admin');
    const [endpoint = ''] = lab.state.endpoints;
    const swift = await PlainSwift.login(endpoint, lab.user('admin:admin'));
    await swift.request('PUT', world.named('mine'));
    await swift.request('PUT', world.path('mine', 'k'), world.linkTo('vx', 's'));
    expect((await admin.get(`/${world.path('mine', 'k')}`)).text).to.equal(CONTENTS.foreign);

    const grant = { 'x-amz-grant-read': 'id="test:tester2"' };
    const { owner, member } = gateway;
    await done(owner.put(`/${world.path('x', 'shared')}`, CONTENTS.closed, grant));
    await world.member.request('PUT', world.path('b', 'to-shared'), world.linkTo('x', 'shared'));
    expect((await member.get(`/${world.path('x', 'shared')}`)).status).to.equal(200);
    expect((await member.get(`/${world.path('b', 'to-shared')}`)).status).to.equal(403);
  });
});
