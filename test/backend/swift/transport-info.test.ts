import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { parseInfo } from '../../../src/backend/swift/net/cluster-info.js';
import { codeOf } from '../../support/failure.js';
import { answer, type FakeSwift, type SeenRequest, type Step } from './support/fake-swift.js';
import { useFakes, type Fixture } from './support/open-fake.js';

/** Of Swift 2.30, shortened. */
const INFO = {
  swift: {
    version: '2.30.1',
    policies: [{ name: 'gold', aliases: 'gold', default: true }, { name: 'silver' }],
    max_object_name_length: 512,
    container_listing_limit: 10_000,
    max_header_size: 8192,
  },
  slo: { max_manifest_segments: 500, max_manifest_size: 8_388_608 },
  symlink: { symloop_max: 2 },
};
const SECRET = 'lab-secret';

function info(more: object = {}): Step {
  return answer(200, JSON.stringify({ ...INFO, ...more }));
}

/** As the filter does: a wrong signature is refused, none is an ordinary client's. */
function filtered(secret: string, servers?: string): Step {
  const announce = info({ ringway: { version: 1, exclusive_create: servers } });
  return (request: SeenRequest) => {
    const { method, url, headers } = request;
    const given = headers['x-gateway-signature'];
    const signed = `${method}\n${url}\n${String(headers['x-gateway-time'])}`;
    const right = createHmac('sha256', secret).update(signed).digest('hex');
    return (given === undefined || given === right ? announce : answer(403, 'signature'))(request);
  };
}

describe('Swift transport: /info', () => {
  const openAll = useFakes();

  async function open(
    steps: readonly Step[],
    options: Parameters<typeof openAll>[1] = {},
  ): Promise<Fixture> {
    const fixture = await openAll(steps.length, options);
    fixture.fakes.forEach((fake, i) => (fake.steps = [steps[i]!]));
    return fixture;
  }

  it('is read, with defaults of Swift where it says nothing', async () => {
    const { transport } = await open([info()]);
    expect(await transport.info()).to.deep.equal({
      objectNameBytesMax: 512,
      containerNameBytesMax: 256,
      listingLimit: 10_000,
      metaNameBytesMax: 128,
      metaValueBytesMax: 256,
      metaCountMax: 90,
      metaBytesMax: 4096,
      headerBytesMax: 8192,
      manifestSegmentsMax: 500,
      manifestBytesMax: 8_388_608,
      hasSymlinks: true,
      takesWholeHeaders: false,
      policies: ['gold', 'silver'],
      filter: undefined,
    });
  });

  it('takes what is no number for nothing said', () => {
    const parsed = parseInfo('{"swift": {"max_meta_count": "many", "policies": 7}, "slo": null}');
    expect(parsed).to.include({ metaCountMax: 90, manifestSegmentsMax: 1000, hasSymlinks: false });
    expect(parsed.policies).to.deep.equal([]);
  });

  it('is requested once for all callers, and kept', async () => {
    const { transport, fake } = await open([info()]);
    await Promise.all([transport.info(), transport.info()]);
    await transport.info();
    expect(fake.seen).to.have.length(1);
  });

  it('stays what it was when it cannot be had anew', async () => {
    const { transport, fake } = await open([info()], { infoMs: 0 });
    const before = await transport.info();
    await fake.stop();
    expect(await transport.info()).to.equal(before);
  });

  for (const [title, step] of [
    ['is no JSON', answer(200, '<html>')],
    ['is disabled', answer(404)],
  ] as const) {
    it(`fails when it ${title}`, async () => {
      const { transport } = await open([step]);
      expect(await codeOf(transport.info())).to.equal('Unavailable');
    });
  }

  it('is the narrowest of all proxies, without those that are down', async () => {
    const narrow = { swift: { ...INFO.swift, max_object_name_length: 100 } };
    const { transport, fakes } = await open([info(), info(narrow), info()]);
    await fakes[2]!.stop();
    expect(await transport.info()).to.include({ objectNameBytesMax: 100, hasSymlinks: true });
  });

  const [ONE, OTHER] = [filtered(SECRET, 'a'), filtered(SECRET, 'b')];
  const filters: [string, Step[], string | undefined, boolean][] = [
    ['there with the right secret', [filtered(SECRET)], SECRET, true],
    ['none without a secret', [filtered(SECRET)], undefined, false],
    ['none with another secret', [filtered('other')], SECRET, false],
    ['none where none is announced', [info()], SECRET, false],
    ['there when all proxies have it', [filtered(SECRET), filtered(SECRET)], SECRET, true],
    ['none when one proxy lacks it', [filtered(SECRET), info()], SECRET, false],
    ['there when all creations are serialised at one place', [ONE, ONE], SECRET, true],
    ['none when two proxies serialise creations apart', [ONE, OTHER], SECRET, false],
    ['none when one has another secret', [filtered(SECRET), filtered('other')], SECRET, false],
  ];
  for (const [title, steps, filterSecret, there] of filters) {
    it(`the filter is ${title}`, async () => {
      const { transport } = await open(steps, { filterSecret });
      const { filter } = await transport.info();
      expect(filter?.version).to.equal(there ? 1 : undefined);
    });
  }

  for (const [what, announced, field] of [
    ['exclusive deletions', 'exclusive_delete', 'exclusiveDelete'],
    ['bodies in chunks', 'chunked_bodies', 'chunkedBodies'],
    ['filters that ask who may read on', 'hop_rights', 'hopRights'],
    ['fixed links', 'fixed_links', 'fixedLinks'],
  ] as const) {
    for (const [where, known] of [
      ['where all filters do', true],
      ['not where one is of an earlier release', undefined],
    ] as const) {
      it(`knows of ${what} ${where}`, async () => {
        const says = (is: true | undefined) => info({ ringway: { version: 1, [announced]: is } });
        const { transport } = await open([says(true), says(known)], { filterSecret: SECRET });
        const { filter } = await transport.info();
        expect([filter?.version, filter?.[field]]).to.deep.equal([1, known]);
      });
    }
  }

  for (const filterSecret of [SECRET, undefined]) {
    const whom = filterSecret === undefined ? 'no proxy without a filter' : 'the filter';
    it(`tells ${whom} who the requester is`, async () => {
      const behalf = { allows: () => true, header: '%7B%22role%22%3A%22anonymous%22%7D' };
      const { fake, get } = await open([filtered(SECRET)], { filterSecret });
      (await get({ context: { requestId: 'r', behalf } })).cancel();
      (await get({ context: { requestId: 'r' } })).cancel();
      const said = fake.seen.slice(-2).map(({ headers }) => headers['x-gateway-for']);
      const first = filterSecret === undefined ? undefined : behalf.header;
      expect(said).to.deep.equal([first, undefined]);
    });
  }

  it('sends nothing to a proxy that comes back without the filter', async () => {
    const { transport, fakes, changes, get } = await open([filtered(SECRET), filtered(SECRET)], {
      filterSecret: SECRET,
      ejectMs: 10,
      ejectMsMax: 10,
    });
    const [sound, changed] = fakes as [FakeSwift, FakeSwift];
    await transport.info();
    (await get()).cancel();
    await changed.stop();
    while (changes.length === 0) (await get({ method: 'PUT', repeatable: true })).cancel();
    changed.steps = [info()];
    changed.seen.length = 0;
    await changed.start();
    while (changes.length < 5) (await get({ method: 'PUT', repeatable: true })).cancel();
    expect(new Set(changed.seen.map(({ url }) => url))).to.deep.equal(new Set(['/info']));
    changed.steps = [filtered(SECRET)];
    while (!changed.seen.some(({ method }) => method === 'PUT')) {
      (await get({ method: 'PUT', repeatable: true })).cancel();
    }
    expect(sound.seen.length).to.be.greaterThan(0);
  });

  it('looks again now and then whether the filter is still there', async () => {
    const { transport, fake, get } = await open([filtered(SECRET)], {
      filterSecret: SECRET,
      infoMs: 0,
    });
    await transport.info();
    expect((await get()).status).to.equal(200);
    fake.steps = [info()];
    let error: unknown;
    while (error === undefined) await get().catch((thrown: unknown) => (error = thrown));
    expect(error).to.have.property('message').that.contains('filter');
  });
});
