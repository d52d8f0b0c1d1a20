import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parseCase, seedsOf, type ShadowCase } from '../../../console/surfaces/lab/shadow/case.js';
import { canonicalBody } from '../../../console/surfaces/lab/shadow/canonical.js';
import { compare, judge, SAME } from '../../../console/surfaces/lab/shadow/comparison.js';
import { minimize } from '../../../console/surfaces/lab/shadow/minimizer.js';
import { drawMutation, mutate, OPERATORS } from '../../../console/surfaces/lab/shadow/mutation.js';
import {
  parseAnswer,
  sendRaw,
  type RawAnswer,
} from '../../../console/surfaces/lab/shadow/raw-request.js';
import { SeededRandom } from '../../../src/ring/builder/random.js';

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
      const [first = SAME] = compare(a, b, 'swift');
      expect(first).to.deep.include({ verdict, rule });
    });
  }

  it('of S3 are compared by the code of an error, and those of one side by what it must keep', () => {
    const error = (code: string) => answer(404, [], `<Error><Code>${code}</Code></Error>`);
    const rules = (differences: readonly { readonly rule: string }[]) =>
      differences.map(({ rule }) => rule);
    expect(rules(compare(error('NoSuchKey'), error('NoSuchBucket'), 's3'))).to.deep.equal([
      'error code',
    ]);
    expect(judge(answer(404))).to.deep.equal([]);
    expect(rules(judge(answer(503)))).to.deep.equal(['server_error']);
    expect(rules(judge(away('timeout')))).to.deep.equal(['timeout']);
  });

  it('have all that differs, and the type of a body that is not there for a matter of looks', () => {
    const a = answer(200, [['accept-ranges', 'bytes'], ['etag', 'x'], ['x-odd', '1']], 'a'); // prettier-ignore
    const b = answer(200, [['etag', 'y']], 'b');
    const found = compare(a, b, 's3').map(({ verdict, rule }) => `${verdict} ${rule}`);
    expect(found).to.deep.equal([
      'semantic header accept-ranges',
      'semantic header etag',
      'semantic body',
      'cosmetic header x-odd',
    ]);
    const [none, html] = [answer(204), answer(204, [['content-type', 'text/html'], ['content-length', '0']])]; // prettier-ignore
    expect(compare(none, html, 's3', 'DELETE')).to.deep.equal([
      { verdict: 'cosmetic', rule: 'header content-type', detail: 'none and text/html' },
    ]);
    expect(compare(none, html, 's3', 'HEAD')[0]?.verdict).to.equal('semantic');
  });

  it('are alike as documents, however they are written', () => {
    const xml = (text: string) => canonicalBody(Buffer.from(text), 'application/xml');
    const one = xml(
      '<?xml version="1.0"?>\n<R xmlns="a" b="c"><Prefix></Prefix><K>x</K><E>&quot;t&quot;</E><K>y</K><UploadId>1</UploadId></R>',
    );
    expect(xml("<R b='c' xmlns='a'>\n <K>x</K>\n <K>y</K>\n <E>\"t\"</E></R>")).to.equal(one);
    expect(xml('<R b="c" xmlns="a"><K>y</K><K>x</K><E>"t"</E></R>')).not.to.equal(one);
    expect(xml('<R b="c" xmlns="a"><K>x</K><K>y</K><E>"t"</E><N>z</N></R>')).not.to.equal(one);
    for (const broken of ['<R><K></R>', '<R', 'no <', '<R></R></R>', '<R>'.repeat(9)]) {
      expect(xml(broken), broken).to.equal(broken);
    }
    const json = (text: string) => canonicalBody(Buffer.from(text), 'application/json');
    expect(json('{"last_modified": "a"}')).to.equal(json('{"last_modified": "b"}'));
  });

  it('end when nothing comes any more, and when too much does', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => {
        if (!bytes.includes('flood')) return;
        const more = Buffer.alloc(64 * 1024, 'X: y\r\n');
        const flood = (): void => {
          while (!socket.destroyed && socket.write(more));
        };
        socket.on('drain', flood);
        socket.write('HTTP/1.1 200 OK\r\n');
        flood();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = { secure: false, host: '127.0.0.1', port, basePath: '' };
    const ask = (what: string, timeoutMs: number) =>
      sendRaw(address, Buffer.from(`GET /${what} HTTP/1.1\r\n\r\n`), { isHead: false, timeoutMs });
    try {
      expect(await ask('flood', 60_000)).to.include({ transport: 'invalid', status: null });
      expect(await ask('hang', 50)).to.include({ transport: 'timeout', status: null });
    } finally {
      server.close();
    }
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

  it('asks for the container where that shows it too, and needs no object then', async () => {
    const [seed] = seedsOf('swift');
    const isShown = (one: ShadowCase) => {
      const has = (what: string) => one.steps.findIndex(({ method }) => method === what);
      const head = one.steps[has('HEAD')];
      if (head === undefined) return false;
      return head.target.endsWith('${C}') || (has('PUT') !== -1 && has('PUT') < has('HEAD'));
    };
    const { minimal } = await minimize(seed!, (one) => Promise.resolve(isShown(one)));
    expect(minimal.steps.map(({ method, target }) => [method, target])).to.deep.equal([
      ['HEAD', '/v1/${A}/${C}'],
    ]);
  });
});
