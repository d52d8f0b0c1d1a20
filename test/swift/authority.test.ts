import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  CONTENTS,
  OTHER_WAYS,
  POINTERS,
  readersToTry,
  verdictOf,
  WAYS,
  type OtherWay,
  type Pointer,
  type Way,
  type Who,
} from '../support/authority-table.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import { PlainSwift } from '../support/plain-swift.js';
import type { S3Answer } from '../support/s3-client.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { mapLimited } from '../../src/lib/promises.js';
import { Gateway } from './authority/gateway.js';
import { OtherWays, type OtherAnswer } from './authority/other-ways.js';
import { done, hex, md5, World } from './authority/world.js';

/** Requests under way at once. */
const CONCURRENCY = 12;
/** All cells, and not only those at the border of who may and who may not. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';
/** Ways that ask storage servers for something else each; proxies copy for all gateways. */
const READS = ['GET', 'HEAD', 'range'] as const;
const DIRECT_WAYS = IS_LARGE ? WAYS.filter((way) => !way.endsWith('copy')) : READS;
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));
const FOREIGN = [CONTENTS.foreign, CONTENTS.closed, CONTENTS.granted];

/** Nothing of what lies behind a pointer: no byte, size or ETag. */
function expectNothingTold({ text, headers }: OtherAnswer): void {
  const told = text + JSON.stringify(headers);
  for (const content of FOREIGN) {
    expect(told).to.not.include(content.slice(0, 12));
    expect(told).to.not.include(md5(content));
    expect(headers['content-length']).to.not.equal(String(content.length));
  }
}

/** One cell of the matrix. */
interface Cell {
  readonly where: 'proxies' | 'direct reads' | 'beside S3';
  readonly way: Way | OtherWay;
  readonly who: Who;
  readonly read: () => Promise<OtherAnswer | S3Answer>;
}

function expectVerdict(pointer: Pointer, { way, who, where }: Cell, got: OtherAnswer | S3Answer) {
  const content = CONTENTS[pointer.content];
  if (verdictOf(pointer, way, who) === 'denied') {
    // Swift says 401 to strangers, and 409 where it may not read a segment.
    const isOfSwift = way === 'Swift' || way === 'TempURL';
    expect(got.status, got.text).to.be.oneOf(isOfSwift ? [401, 403, 409] : [403]);
    if (where !== 'beside S3' && way !== 'HEAD') expect(got).to.include({ code: 'AccessDenied' });
    expectNothingTold(got);
    return;
  }
  expect(got.status, got.text).to.be.oneOf([200, 206]);
  if (way === 'range') expect(got.text).to.equal(content.slice(0, 5));
  else if (way !== 'HEAD' && way !== 'tags') expect(got.text).to.equal(content);
}

describeWith(SWIFT_NEEDS, 'Swift: whose rights count behind a pointer', function () {
  this.timeout(180_000);
  const lab = useOnce(sharedSwiftLab);
  const world = useOnce(() => World.open(lab()));
  // Each closes, whatever becomes of the others: servers left open would keep the stage from its end.
  const byProxies = useOnce(() => Gateway.open(lab(), world(), false), 'close');
  const direct = useOnce(() => Gateway.open(lab(), world(), true), 'close');
  const others = useOnce(
    () => OtherWays.open(lab(), world(), byProxies().service.endpoint),
    'close',
  );
  const targets = useOnce(async () => {
    await world().point(byProxies());
    return world().targets();
  });
  const gateways = () => [byProxies(), direct()];

  function cellsOf(pointer: Pointer): Cell[] {
    const cells = <W extends Way | OtherWay>(
      where: Cell['where'],
      ways: readonly W[],
      read: (way: W, who: Who) => ReturnType<Cell['read']>,
    ) =>
      ways.flatMap((way) =>
        readersToTry(pointer, way, IS_LARGE).map((who) => {
          return { where, way, who, read: () => read(way, who) };
        }),
      );
    return [
      ...cells('proxies', WAYS, (way, who) => byProxies().read(pointer, way, who)),
      ...cells('direct reads', DIRECT_WAYS, (way, who) => direct().read(pointer, way, who)),
      ...cells('beside S3', OTHER_WAYS, (way, who) => others().read(pointer, way, who)),
    ];
  }

  for (const pointer of POINTERS) {
    it(`${pointer.what}: ${pointer.readers}`, async () => {
      const wrong: string[] = [];
      await mapLimited(cellsOf(pointer), CONCURRENCY, async (cell) => {
        const got = await cell.read();
        try {
          expectVerdict(pointer, cell, got);
        } catch (error) {
          wrong.push(`${cell.where} ${cell.way} ${cell.who}: ${String(error)}`);
        }
      });
      expect(wrong).to.deep.equal([]);
    });
  }

  it('nothing is changed through a link that is none of ours', async () => {
    const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    const restore = '<RestoreRequest><Days>1</Days></RestoreRequest>';
    const changes = gateways().flatMap(({ owner, member }) =>
      POINTERS.filter(({ change }) => change !== undefined).flatMap(({ name, bucket }) => {
        const path = `/${world().path(bucket, name)}`;
        return [owner, member].flatMap((who) => [
          () => who.put(`${path}?tagging`, tags),
          () => who.delete(`${path}?tagging`),
          () => who.put(`${path}?acl`, '', { 'x-amz-acl': 'private' }),
          () => who.send({ method: 'POST', path: `${path}?restore`, body: restore }),
        ]);
      }),
    );
    await mapLimited(changes, CONCURRENCY, async (change) => {
      const { status, text } = await change();
      expect(status, text).to.be.oneOf([403, 405]);
    });
    expect(await world().targets()).to.deep.equal(targets());
  });

  it('what is written over where versions are kept takes nothing of others along', async () => {
    const { owner, member } = byProxies();
    const { path, member: swift } = {
      path: (key: string) => world().path('bo', key),
      member: world().member,
    };
    await swift.request('PUT', path('o'), {}, CONTENTS.open);
    const links = { inside: ['bo', 'o'], closed: ['x', 's'], foreign: ['vx', 's'] } as const;
    for (const [name, [container, object]] of Object.entries(links)) {
      await swift.request('PUT', path(name), world().linkTo(container, object));
    }
    await swift.request('PUT', path('dynamic'), { 'X-Object-Manifest': world().path('x', 'p/') });
    const manifest = JSON.stringify([{ path: `/${world().path('x', 's')}` }]);
    await world().owner.request('PUT', `${path('static')}?multipart-manifest=put`, {}, manifest);
    const kept = { inside: 1, closed: 0, foreign: 0, dynamic: 0, static: 1 };
    await mapLimited(Object.entries(kept), CONCURRENCY, async ([name, count]) => {
      const denied = await member.get(`/${path(name)}`);
      expect(denied.status, `${name}: ${denied.text}`).to.equal(name === 'inside' ? 200 : 403);
      // The owner's rights are more than those of the bucket's readers.
      const writer = name === 'foreign' ? member : owner;
      await done(writer.put(`/${path(name)}`, 'new'));
      expect((await member.get(`/${path(name)}`)).text).to.equal('new');
      const archive = `${world().named('bo')}+versions`;
      const versions = await world().names(archive, `${hex(name)}/`);
      expect(versions.length, name).to.equal(count + 1);
      for (const version of versions) {
        const { text } = await member.get(`/${path(name)}?versionId=${version.slice(-32)}`);
        for (const content of FOREIGN) expect(text).to.not.include(content);
      }
      expect((await member.delete(`/${path(name)}`)).status).to.equal(204);
    });
    expect(await world().targets()).to.deep.equal(targets());
  });

  it('the janitor and lifecycle rules leave alone what pointers lead to', async () => {
    const { owner, folder } = byProxies();
    const rule =
      '<Rule><ID>r</ID><Status>Enabled</Status><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>' +
      '<Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule>';
    const body = `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`;
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    for (const bucket of ['b', 'bv', 'bo']) {
      await done(owner.put(`/${world().named(bucket)}?lifecycle`, body, headers));
    }
    const config = join(folder, 'janitor.json');
    await writeFile(config, JSON.stringify(lab().gatewayKeys()));
    const args = ['janitor', '--once', '--config', config, '--data', join(folder, 'data')];
    const { code, stdout, stderr } = await runProgram('node', [MAIN, ...args]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout + stderr).to.not.match(/Denied|may not read/);
    expect(await world().targets()).to.deep.equal(targets());
    // Both of these have segments that nothing else tells of.
    for (const key of ['parts', 'dlo-posted']) {
      expect((await owner.head(`/${world().path('b', key)}`)).status).to.equal(200);
    }
  });

  it('no part is a link', async () => {
    const { member } = byProxies();
    const parts = [
      ['b', 'o', CONTENTS.open],
      ['x', 's', CONTENTS.closed],
      ['vx', 's', CONTENTS.foreign],
    ] as const;
    for (const [container, object, content] of parts) {
      const id = await world().begin(member, 'b', 'of-links');
      const segments = encodeURIComponent(`${world().named('b')}+segments`);
      const part = `${segments}/of-links/${id}/1`;
      await world().member.request('PUT', part, world().linkTo(container, object));
      for (const etag of [md5(content), md5('')]) {
        const got = await world().complete(member, 'b', 'of-links', id, etag);
        expect(got.code, got.text).to.be.oneOf(['AccessDenied', 'InvalidPart']);
      }
      expect((await member.get(`/${world().path('b', 'of-links')}`)).status).to.equal(404);
    }
  });

  it('what Swift grants and takes away counts at the next read', async () => {
    const pointerOf = (name: string) => POINTERS.find((each) => each.name === name)!;
    const granted = pointerOf('link-granted');
    const closed = pointerOf('link-closed');
    const allow = (read: string) =>
      world().owner.request('POST', world().named('x'), { 'X-Container-Read': read });
    for (const gateway of gateways()) {
      const status = async (pointer: Pointer, who: Who, referer?: string) =>
        (await gateway.read(pointer, 'GET', who, referer)).status;
      const acl = (read: string) =>
        world().victim.request('POST', world().named('vo'), { 'X-Container-Read': read });
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
    const admin = byProxies().client('admin:admin');
    const [endpoint = ''] = lab().state.endpoints;
    const swift = await PlainSwift.login(endpoint, lab().user('admin:admin'));
    await swift.request('PUT', world().named('mine'));
    await swift.request('PUT', world().path('mine', 'k'), world().linkTo('vx', 's'));
    expect((await admin.get(`/${world().path('mine', 'k')}`)).text).to.equal(CONTENTS.foreign);

    const grant = { 'x-amz-grant-read': 'id="test:tester2"' };
    const { owner, member } = byProxies();
    await done(owner.put(`/${world().path('x', 'shared')}`, CONTENTS.closed, grant));
    await world().member.request(
      'PUT',
      world().path('b', 'to-shared'),
      world().linkTo('x', 'shared'),
    );
    expect((await member.get(`/${world().path('x', 'shared')}`)).status).to.equal(200);
    expect((await member.get(`/${world().path('b', 'to-shared')}`)).status).to.equal(403);
  });
});
