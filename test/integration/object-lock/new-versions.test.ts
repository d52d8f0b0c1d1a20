import { Readable } from 'node:stream';
import { expect } from 'chai';
import { request } from 'undici';
import type { S3Address, S3Answer } from '../../support/s3-client.js';
import { signHeaders, UNSIGNED } from '../../support/sigv4.js';
import { until } from '../../support/until.js';
import { partList } from '../multipart-bench.js';
import { at, expectAnswer, textOf, VERSION_ID } from '../versions/bench.js';
import {
  inDays,
  legalHold,
  lockConfiguration,
  lockedBucket,
  lockHeaders,
  retention,
  useVersionsBench,
} from './bench.js';

const HOLD = { 'x-amz-object-lock-legal-hold': 'ON' };
const MODE = 'x-amz-object-lock-mode';
const UNTIL = 'x-amz-object-lock-retain-until-date';

/** A PUT of an unsigned body that is at its last byte until it is told to end. */
class SlowUpload {
  readonly begun: Promise<void>;
  readonly #answer: Promise<{ readonly status: number; readonly id: string }>;
  #finish: () => void = () => undefined;

  constructor({ endpoint, accessKey, secretKey }: S3Address, path: string, body: Buffer) {
    const identity = { accessKey, secretKey, region: 'us-east-1' };
    const host = endpoint.slice('http://'.length);
    const signed = { method: 'PUT', rawPath: path, headers: { host } };
    const headers = signHeaders(identity, signed, new Date(), UNSIGNED);
    const last = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    let begin: () => void = () => undefined;
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    async function* slowly(): AsyncGenerator<Buffer> {
      yield body.subarray(0, -1);
      begin();
      await last;
      yield body.subarray(-1);
    }
    const length = { 'content-length': String(body.length) };
    this.#answer = request(`${endpoint}${path}`, {
      method: 'PUT',
      headers: { ...headers, ...length },
      body: Readable.from(slowly()),
    }).then(async ({ statusCode: status, headers: answered, body: answer }) => {
      await answer.dump();
      return { status, id: String(answered['x-amz-version-id'] ?? '') };
    });
  }

  finish() {
    this.#finish();
    return this.#answer;
  }
}

/** The locks that a version has from the beginning. */
describe('locks of new versions over the wire', () => {
  const bench = useVersionsBench();
  const bucket = '/new';
  const governed = '/governed';

  before(async () => {
    await lockedBucket(bench(), 'new');
    await lockedBucket(bench(), 'governed');
    const rule = lockConfiguration('<Mode>GOVERNANCE</Mode><Days>10</Days>');
    expectAnswer(await bench().s3.put(`${governed}?object-lock`, rule), 200);
    await bench().put(`${bucket}/source`, 'source');
  });

  type Headers = Record<string, string>;

  /** Each way to make an object. */
  const WAYS: readonly (readonly [
    string,
    (path: string, headers: Headers) => Promise<S3Answer>,
  ])[] = [
    ['PutObject', (path, headers) => bench().s3.put(path, 'body', headers)],
    ['CopyObject', (path, headers) => bench().copy(path, `${bucket}/source`, headers)],
    [
      'a multipart upload',
      async (path, headers) => {
        const begun = await bench().s3.send({ method: 'POST', path: `${path}?uploads`, headers });
        if (begun.status !== 200) return begun;
        const uploadId = textOf(begun.text, 'UploadId');
        const etag = await bench().part(path, uploadId, 1, Buffer.from('body'));
        return bench().complete(path, uploadId, partList([etag]));
      },
    ],
  ];

  async function locksOf(path: string): Promise<(string | undefined)[]> {
    const { headers } = await bench().s3.head(path);
    return [headers[MODE], headers[UNTIL], headers['x-amz-object-lock-legal-hold']];
  }

  async function expectLocked(path: string, made: S3Answer): Promise<void> {
    const id = made.headers['x-amz-version-id'] ?? '';
    expectAnswer(await bench().s3.delete(at(path, id)), 403, 'AccessDenied');
    const [mode, until] = await locksOf(path);
    const { text } = await bench().s3.get(`${path}?retention`);
    if (mode === undefined) return;
    expect([textOf(text, 'Mode'), textOf(text, 'RetainUntilDate')]).to.deep.equal([mode, until]);
  }

  for (const size of [10, 600_000]) {
    it(`protect \`null\` from an upload of ${size} bytes that began before them`, async () => {
      const { s3, service } = bench();
      const late = await bench().bucket(`late-${size}`);
      const path = `${late}/key`;
      await bench().put(path, 'to be protected');
      const upload = new SlowUpload(service, path, Buffer.alloc(size, 'x'));
      await upload.begun;
      await bench().become(late, 'Enabled');
      expectAnswer(await s3.put(`${late}?object-lock`, lockConfiguration()), 200);
      const rule = retention('COMPLIANCE', inDays(1));
      expectAnswer(await s3.put(at(`${path}?retention`, 'null'), rule), 200);
      // The service believes for a tenth of a second what it has read of the bucket.
      const since = performance.now();
      await until(() => performance.now() - since > 150);
      const { status, id } = await upload.finish();
      expect(status).to.equal(200);
      expect(id).to.match(VERSION_ID);
      expect(await bench().read(at(path, 'null'))).to.equal('to be protected');
      expect(await bench().read(at(path, id))).to.have.lengthOf(size);
      expectAnswer(await s3.delete(at(path, 'null')), 403, 'AccessDenied');
      await bench().expectHistory(late, 'key', `Version ${id} latest`, 'Version null');
    });
  }

  for (const [i, [way, make]] of WAYS.entries()) {
    describe(way, () => {
      const path = (name: string, of = bucket) => `${of}/${name}-${i}`;

      for (const mode of ['GOVERNANCE', 'COMPLIANCE']) {
        it(`takes ${mode} from its headers`, async () => {
          const until = inDays(2);
          const made = await make(path(mode), lockHeaders(mode, until));
          expectAnswer(made, 200);
          expect(await locksOf(path(mode))).to.deep.equal([mode, until, undefined]);
          await expectLocked(path(mode), made);
        });
      }

      it('takes a legal hold, on or off', async () => {
        const made = await make(path('hold'), HOLD);
        expectAnswer(made, 200);
        expect(await locksOf(path('hold'))).to.deep.equal([undefined, undefined, 'ON']);
        await expectLocked(path('hold'), made);
        const off = await make(path('off'), { 'x-amz-object-lock-legal-hold': 'OFF' });
        expect(await locksOf(path('off'))).to.deep.equal([undefined, undefined, 'OFF']);
        const id = off.headers['x-amz-version-id'] ?? '';
        expect((await bench().s3.delete(at(path('off'), id))).status).to.equal(204);
      });

      it('takes the default of the bucket, and what it says itself before that', async () => {
        const made = await make(path('default', governed), {});
        expectAnswer(made, 200);
        const [mode, until = ''] = await locksOf(path('default', governed));
        expect(mode).to.equal('GOVERNANCE');
        const days = (Date.parse(until) - Date.now()) / 86_400_000;
        expect(days).to.be.closeTo(10, 0.01);
        await expectLocked(path('default', governed), made);

        const own = lockHeaders('COMPLIANCE', inDays(1));
        await make(path('own', governed), { ...own, ...HOLD });
        expect(await locksOf(path('own', governed))).to.deep.equal([
          'COMPLIANCE',
          own[UNTIL],
          'ON',
        ]);
      });

      for (const [title, headers] of [
        ['a date alone', { [UNTIL]: inDays(1) }],
        ['a mode alone', { [MODE]: 'GOVERNANCE' }],
        ['an unknown mode', lockHeaders('LEGAL', inDays(1))],
        ['a mode in lower case', lockHeaders('governance', inDays(1))],
        ['the past', lockHeaders('GOVERNANCE', inDays(-1))],
        ['this very second', lockHeaders('COMPLIANCE', inDays(0))],
        ['over 100 years', lockHeaders('GOVERNANCE', inDays(36_600))],
        ['a date that is none', lockHeaders('GOVERNANCE', '2099-02-30T00:00:00Z')],
        ['a date of HTTP', lockHeaders('GOVERNANCE', new Date(4e12).toUTCString())],
        ['a day', lockHeaders('GOVERNANCE', '2099-01-01')],
        ['half a hold', { 'x-amz-object-lock-legal-hold': 'on' }],
      ] as const) {
        it(`refuses ${title}`, async () => {
          expectAnswer(await make(path('refused'), headers), 400, 'InvalidArgument');
          await bench().expectHistory(bucket, `refused-${i}`);
        });
      }
    });
  }

  it('begin with none of the locks of their source', async () => {
    const locks = { ...lockHeaders('COMPLIANCE', inDays(9)), ...HOLD };
    await bench().put(`${bucket}/locked`, 'body', locks);
    for (const directive of ['COPY', 'REPLACE']) {
      const headers = { 'x-amz-metadata-directive': directive };
      expectAnswer(await bench().copy(`${bucket}/copied`, `${bucket}/locked`, headers), 200);
      expect(await locksOf(`${bucket}/copied`)).to.deep.equal([undefined, undefined, undefined]);
    }
  });

  it('are those of the time of the request: a later default changes nothing', async () => {
    const own = await lockedBucket(bench(), 'changing');
    const first = await bench().put(`${own}/key`, 'first');
    const rule = lockConfiguration('<Mode>GOVERNANCE</Mode><Years>2</Years>');
    await bench().put(`${own}?object-lock`, rule);
    const second = await bench().put(`${own}/key`, 'second');
    await bench().put(`${own}?object-lock`, lockConfiguration());
    const third = await bench().put(`${own}/key`, 'third');
    const modes = [];
    for (const id of [first, second, third]) modes.push((await locksOf(at(`${own}/key`, id)))[0]);
    expect(modes).to.deep.equal([undefined, 'GOVERNANCE', undefined]);
  });

  it('belong to each version alone', async () => {
    const path = `${bucket}/each`;
    const free = await bench().put(path, 'free');
    const held = await bench().put(path, 'held', HOLD);
    const until = inDays(3);
    await bench().put(at(`${path}?retention`, free), retention('GOVERNANCE', until));
    expect(await locksOf(at(path, free))).to.deep.equal(['GOVERNANCE', until, undefined]);
    expect(await locksOf(path)).to.deep.equal([undefined, undefined, 'ON']);
    const hold = await bench().s3.put(at(`${path}?legal-hold`, held), legalHold('OFF'));
    expect(hold.headers['x-amz-version-id']).to.equal(held);
    expect((await bench().s3.delete(at(path, held))).status).to.equal(204);
    expect(await locksOf(path), 'below').to.deep.equal(['GOVERNANCE', until, undefined]);
    expectAnswer(await bench().s3.delete(at(path, free)), 403, 'AccessDenied');
  });

  it('do not prevent a delete marker, and come back with the version', async () => {
    const path = `${bucket}/marked`;
    const id = await bench().put(path, 'body', lockHeaders('COMPLIANCE', inDays(1)));
    const marker = await bench().mark(path);
    expectAnswer(await bench().s3.get(`${path}?retention`), 405, 'MethodNotAllowed');
    expectAnswer(await bench().s3.get(at(`${path}?retention`, marker)), 405, 'MethodNotAllowed');
    for (const target of [`${path}?legal-hold`, at(`${path}?legal-hold`, marker)]) {
      expectAnswer(await bench().s3.put(target, legalHold('ON')), 405, 'MethodNotAllowed');
    }
    expectAnswer(await bench().s3.delete(at(path, id)), 403, 'AccessDenied');
    expect((await bench().s3.delete(at(path, marker))).status).to.equal(204);
    expect((await locksOf(path))[0]).to.equal('COMPLIANCE');
  });
});
