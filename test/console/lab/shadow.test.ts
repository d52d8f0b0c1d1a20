import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseCase, seedsOf, type ShadowCase } from '../../../console/surfaces/lab/shadow/case.js';
import { compare, judge } from '../../../console/surfaces/lab/shadow/comparison.js';
import { Duel } from '../../../console/surfaces/lab/shadow/duel.js';
import { minimize } from '../../../console/surfaces/lab/shadow/minimizer.js';
import { drawMutation, mutate, OPERATORS } from '../../../console/surfaces/lab/shadow/mutation.js';
import { parseAnswer, type RawAnswer } from '../../../console/surfaces/lab/shadow/raw-request.js';
import type { ShadowWholeRun } from '../../../console/surfaces/lab/shadow/shadow-runs.js';
import type { ShadowSide } from '../../../console/surfaces/lab/shadow/side.js';
import { SeededRandom } from '../../../src/ring/builder/random.js';
import { eventually } from '../../support/eventually.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { REAL_CLOCK, startTestBed, type TestBed } from '../support/console.js';
import { startPeerShim, type PeerShim } from './support.js';

const answer = (status: number, headers: readonly (readonly [string, string])[] = [], body = '') =>
  ({ transport: 'answered', status, headers, body: Buffer.from(body), ms: 1 }) as RawAnswer;
const away = (transport: RawAnswer['transport']): RawAnswer => ({
  ...answer(200),
  transport,
  status: null,
});

describe('cases of Shadow', () => {
  const base = { id: 'x', dialect: 'swift' };
  const step = { method: 'GET', target: '/v1/${A}/${C}/o', headers: [], body_b64: '' };
  const refused: readonly (readonly [string, object])[] = [
    ['is elsewhere', { target: '/v1/${A}/other/o' }],
    ['is in a container that begins alike', { target: '/v1/${A}/${C}x' }],
    ['ends the line', { target: '/v1/${A}/${C}/o HTTP/1.1\r\nX: y' }],
    ['has a second request in a header', { headers: [['A', 'b\r\n\r\nGET / HTTP/1.1']] }],
    ['ends a header with what is a line end as Latin-1', { headers: [['A', 'b\u010d\u010aX-Auth-Token: x']] }], // prettier-ignore
    ['brings a token', { headers: [['X-Auth-Token', 'x']] }],
    ['names another host', { headers: [['Host', 'evil.example']] }],
    ['copies to elsewhere', { headers: [['Destination', 'other/o']] }],
    ['deletes many', { target: '/v1/${A}/${C}?bulk-delete' }],
    ['deletes many, with an escape', { target: '/v1/${A}/${C}?x&bulk%2Ddelete' }],
    ['deletes what a manifest names', { target: '/v1/${A}/${C}/o?multipart-manifest=delete' }],
    ['leads out by dots', { target: '/v1/${A}/${C}/../other/o' }],
    ['leads out behind an empty name', { target: '/v1/${A}/${C}//../other' }],
    ['leads out by escapes', { target: '/v1/${A}/${C}/a%2F..%2f%2E./other' }],
    ['leads out below an escaped slash', { target: '/v1/${A}/${C}/a%2Fb/../../other' }],
    ['has no method', { method: 'GET /' }],
  ];
  for (const [title, change] of refused) {
    it(`are refused where one ${title}`, () => {
      expect(parseCase({ ...base, steps: [{ ...step, ...change }] })).to.equal(undefined);
    });
  }

  it('are taken inside of their container', () => {
    const steps = [
      step,
      { ...step, target: '/v1/${A}/${C}/o/../p?multipart-manifest=get' },
      {
        ...step,
        headers: [
          ['Destination', '${C}/p'],
          ['A', 'b\r\n folded'],
        ],
      },
    ];
    expect(parseCase({ ...base, steps })).not.to.equal(undefined);
    for (const dialect of ['swift', 's3'] as const) {
      for (const seed of seedsOf(dialect)) expect(parseCase(seed), seed.id).to.deep.equal(seed);
    }
  });

  it('are the same for the same seed, stay in their container, and differ for another seed', () => {
    const draw = (seed: number): ShadowCase[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 300 }, (_, at) => {
        const seeds = seedsOf(at % 2 === 0 ? 'swift' : 's3');
        const one = seeds[random.integer(seeds.length)]!;
        const mutations = [0, 1, 2].map(() => drawMutation(random, one, OPERATORS));
        return mutate(one, mutations);
      });
    };
    expect(draw(7)).to.deep.equal(draw(7));
    expect(draw(7)).not.to.deep.equal(draw(8));
    for (const one of draw(7)) expect(parseCase(one), JSON.stringify(one)).to.deep.equal(one);
  });
});

describe('answers in Shadow', () => {
  it('are read as they stand on the wire, in pieces or whole', () => {
    const whole = Buffer.from(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\nabcd',
    );
    for (let at = 0; at < whole.length - 1; at++) {
      expect(parseAnswer(whole.subarray(0, at), false, false), String(at)).to.equal('more');
    }
    const parsed = parseAnswer(whole, false, false);
    expect(parsed).to.deep.include({
      status: 200,
      headers: [
        ['a', 'b'],
        ['content-length', '3'],
      ],
    });
    const early = Buffer.alloc(16 * 60_000, 'HTTP/1.1 100\r\n\r\n');
    expect(parseAnswer(early, false, false)).to.equal('more');
    const late = parseAnswer(Buffer.concat([early, whole]), false, false);
    expect(late).to.have.property('status', 200);
    const chunked = Buffer.from(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
    );
    expect(parseAnswer(chunked, false, false)).to.have.property('status', 200);
    for (const odd of [
      'SSH-2.0-x',
      'HTTP/1.1 20 OK\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    ]) {
      expect(parseAnswer(Buffer.from(odd), false, true), odd).to.equal('invalid');
    }
    expect(parseAnswer(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'), true, false)).to.have.property('status', 200); // prettier-ignore
  });

  const cases: readonly (readonly [string, RawAnswer, RawAnswer, string, string])[] = [
    ['dates and ids', answer(200, [['date', 'a'], ['x-trans-id', 'x']]), answer(200, [['date', 'b']]), 'identical', ''],
    ['cookies, which the log is not to have', answer(200, [['set-cookie', 'a']]), answer(200, [['set-cookie', 'b']]), 'identical', ''],
    ['the order of Allow', answer(405, [['allow', 'GET, PUT']]), answer(405, [['allow', 'PUT,GET']]), 'identical', ''],
    ['quotes around an ETag', answer(200, [['etag', '"a"']]), answer(200, [['etag', 'a']]), 'identical', ''],
    ['a status of the same class', answer(404), answer(405), 'semantic', 'status'],
    ['a status of another class', answer(200), answer(404), 'breaking', 'status'],
    ['an answer and none', answer(200), away('closed'), 'breaking', 'transport'],
    ['an ETag', answer(200, [['etag', 'a']]), answer(200, [['etag', 'b']]), 'semantic', 'header etag'],
    ['a header that nothing acts on', answer(200, [['x-odd', 'a']]), answer(200), 'cosmetic', 'header x-odd'],
    ['a time that is counted from now', answer(200, [['x-delete-at', '100']]), answer(200, [['x-delete-at', '102']]), 'identical', ''],
    ['boundaries', answer(206, [['content-type', 'multipart/byteranges;boundary=ab']], '--ab'), answer(206, [['content-type', 'multipart/byteranges;boundary=cd']], '--cd'), 'identical', ''],
    ['a body', answer(200, [], 'a'), answer(200, [], 'b'), 'semantic', 'body'],
    ['failures of both', answer(500), answer(500), 'semantic', 'server_error'],
    ['the words of an error', answer(404, [], 'a'), answer(404, [], 'b'), 'identical', ''],
  ]; // prettier-ignore
  for (const [title, a, b, verdict, rule] of cases) {
    it(`are ${verdict} for ${title}`, () => {
      expect(compare(a, b, 'swift')).to.deep.include({ verdict, rule });
    });
  }

  it('of S3 are compared by the code of an error, and those of one side by what it must keep', () => {
    const error = (code: string) => answer(404, [], `<Error><Code>${code}</Code></Error>`);
    expect(compare(error('NoSuchKey'), error('NoSuchBucket'), 's3').rule).to.equal('error code');
    expect(judge(answer(404)).verdict).to.equal('identical');
    expect(judge(answer(503)).rule).to.equal('server_error');
    expect(judge(away('timeout')).rule).to.equal('timeout');
  });
});

describe('the minimizer of Shadow', () => {
  it('leaves what the finding needs, and no more', async () => {
    const [seed] = seedsOf('swift');
    const headers: [string, string][] = [
      ['A', '1'],
      ['B', '2'],
      ['C', '3'],
    ];
    const steps = [...seed!.steps, ...seed!.steps].map((one) => ({ ...one, headers }));
    const isShown = (one: ShadowCase) =>
      one.steps.some(
        ({ method, headers: own }) => method === 'HEAD' && own.some(([name]) => name === 'B'),
      );
    const { minimal, replays } = await minimize({ ...seed!, steps }, (one) =>
      Promise.resolve(isShown(one)),
    );
    expect(minimal.steps.map(({ method, headers: own }) => [method, own])).to.deep.equal([
      ['HEAD', [['B', '2']]],
    ]);
    expect(replays).to.be.lessThan(60);
  });
});

describe('a duel of Shadow', () => {
  it('removes the container of one side where the other side makes none', async () => {
    const removed: string[] = [];
    const side = (create: () => Promise<string>) =>
      ({
        create,
        remove: (container: string) => {
          removed.push(container);
          return Promise.resolve();
        },
      }) as unknown as ShadowSide;
    const duel = new Duel(
      side(() => Promise.resolve('shadow-a')),
      side(() => Promise.reject(new Error('container: 503'))),
    );
    const problem = await duel.run(seedsOf('swift')[0]!).catch((error: unknown) => error);
    expect(problem).to.be.an('error').with.property('message', 'container: 503');
    expect(removed).to.deep.equal(['shadow-a']);
  });
});

describe('Shadow over two stores', function () {
  this.timeout(120_000);
  let root: string;
  let peer: PeerShim;
  let bed: TestBed;
  let operator: ConsoleClient;

  before(async () => {
    root = await makeTempFolder('shadow');
    await mkdir(join(root, 'corpus'));
    await writeFile(join(root, 'corpus', `${'a'.repeat(64)}.json`), '{"steps": "hostile"}');
    peer = await startPeerShim();
    bed = await startTestBed(
      {
        lab_enabled: true,
        shadow_root: root,
        shadow_peer_base: peer.origin,
        shadow_peer_auth: `${peer.origin}/auth/v1.0`,
      },
      REAL_CLOCK,
    );
    peer.target = bed.store.origin;
    operator = await bed.login();
  });

  after(async () => {
    await bed.close();
    await peer.close();
    await removeFolder(root);
  });

  async function run(given: object): Promise<ShadowWholeRun> {
    const started = await operator.post('/lab/api/shadow/runs', given);
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    return eventually(
      async () => (await operator.get(`/lab/api/shadow/runs/${id}`)).json() as ShadowWholeRun,
      ({ state }) => ['done', 'failed', 'cancelled'].includes(state),
      100_000,
    );
  }

  it('finds nothing where both are the same, and leaves no container behind', async () => {
    const operators = ['header', 'path', 'query', 'method', 'step'];
    const { state, error, result } = await run({ mode: 'dual', seed: 3, cases: 14, operators });
    expect(state, JSON.stringify(error)).to.equal('done');
    const found = result?.findings.map(({ difference, case: one }) => ({
      difference,
      steps: one.steps,
    }));
    // Both fail alike where a server fails: that is a finding, and none of the comparison.
    expect(found?.filter(({ difference }) => difference.rule !== 'server_error')).to.deep.equal([]);
    expect(result?.cases).to.equal(14);
    const containers = await operator.get('/api/files/containers?prefix=shadow-');
    expect(containers.text).not.to.match(/shadow-[0-9a-f]{12}/);
    const log = (await readFile(join(root, 'mutations.jsonl'), 'utf8')).trim().split('\n');
    expect(log.length).to.equal(result?.steps);
    expect(JSON.parse(log[0] ?? '')).to.include({ v: 1, seed: 3, step: 0, verdict: 'identical' });
    expect(log.join('')).not.to.match(/AUTH_tk|testing/);
  });

  it('finds a status that one side changes, makes it small, keeps it, and sends it again', async () => {
    peer.passes = 0;
    const refused = await run({ mode: 'dual', seed: 1, cases: 1 });
    expect([refused.state, refused.error?.code]).to.deep.equal(['failed', 'upstream_unavailable']);
    // Control requests have one HEAD.
    peer.passes = 1;
    const done = await run({ mode: 'dual', seed: 1, cases: 1 });
    expect(done.state).to.equal('done');
    const finding = done.result?.findings.find(
      ({ difference }) => difference.detail === '200 and 203',
    );
    expect(finding?.difference).to.include({ verdict: 'semantic', rule: 'status' });
    expect([finding?.is_flaky, finding?.a.status, finding?.b?.status]).to.deep.equal([
      false,
      200,
      203,
    ]);
    const steps = finding?.minimal?.steps.map(({ method }) => method);
    // An object that is not there has no 200 to change.
    expect(steps).to.deep.equal(['PUT', 'HEAD']);
    const kept = await readdir(join(root, 'corpus'));
    expect(kept.some((name) => name.endsWith('.min.json'))).to.equal(true);
    const again = await operator.post('/lab/api/shadow/replay', {
      mode: 'dual',
      case: finding?.minimal,
    });
    expect(again.text).to.include('200 and 203');
  });

  it('refuses what it has no second side for, and cases that would leave their container', async () => {
    const s3 = await operator.post('/lab/api/shadow/runs', { mode: 's3' });
    expect([s3.status, codeOf(s3)]).to.deep.equal([501, 'unsupported_here']);
    expect(s3.text).to.include('s3_base');
    const hostile = {
      id: 'x',
      dialect: 'swift',
      steps: [{ method: 'DELETE', target: '/v1/${A}/other', headers: [] }],
    };
    const replay = await operator.post('/lab/api/shadow/replay', { mode: 'single', case: hostile });
    expect(codeOf(replay)).to.equal('unprocessable');
  });

  it('judges one side alone', async () => {
    const { state, result } = await run({
      mode: 'single',
      seed: 5,
      cases: 10,
      operators: ['path'],
    });
    expect([state, result?.cases]).to.deep.equal(['done', 10]);
  });
});
