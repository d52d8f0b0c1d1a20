import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { PutObjectInput } from '../../../src/backend/backend.js';
import { codeOf, failureOf } from '../../support/failure.js';
import {
  CONTAINER,
  CONTEXT,
  created,
  found,
  REF,
  scripted,
  TIME_MS,
} from './support/scripted-backend.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';

const BODY = Buffer.from('hello');
const MD5 = createHash('md5').update(BODY).digest('hex');
const LONG = Buffer.alloc(100_000, 'x');
const LONG_MD5 = createHash('md5').update(LONG).digest('hex');
const OVERRIDE = 'x-gateway-sysmeta-object-container-update-override-etag';
const BUSY = { status: 409, headers: { 'x-gateway-create': 'busy' } };
const GUARD = { ref: { ...REF, object: 'guard' }, consumed: true };

function input(more: Partial<PutObjectInput> = {}): PutObjectInput {
  return { size: BODY.length, contentType: 'text/plain', body: BODY, ...more };
}

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 30_000) {
    yield bytes.subarray(at, at + 30_000);
    await Promise.resolve();
  }
}

function stream(more: Partial<PutObjectInput> = {}): PutObjectInput {
  return input({ size: LONG.length, body: chunks(LONG), ...more });
}

describe('puts of objects in Swift', () => {
  describeRequests();
  describeOutcomes();
  describeCreations();
  describeGuards();
});

function describeRequests(): void {
  it('are one request each, where no large object can be', async () => {
    const { backend, requests } = await scripted({ 'PUT c/o': created(MD5) });
    for (let times = 0; times < 3; times++) await backend.putObject(CONTEXT, REF, input());
    expect(requests).to.have.length(3);
    expect(requests[0]?.headers).to.deep.equal({ 'content-type': 'text/plain', etag: MD5 });
    expect(requests[0]).to.include({ repeatable: true, body: BODY });
  });

  it('look for a large object where there is a companion', async () => {
    const { backend, names } = await scripted({
      'HEAD c+segments': CONTAINER,
      'HEAD c/o?symlink=get': found({
        'x-static-large-object': 'True',
        'x-gateway-sysmeta-object-s3api-etag': 'whole-2',
        'x-gateway-sysmeta-object-s3api-upload-id': 'u',
        'content-length': '17',
      }),
      'PUT c/o': created(MD5),
    });
    const put = await backend.putObject(CONTEXT, REF, input());
    expect(names()).to.deep.equal(['HEAD c/o?symlink=get', 'PUT c/o']);
    const systemMetadata = { 's3api-upload-id': 'u' };
    const replacedManifest = { size: 17, etag: 'whole-2', systemMetadata };
    expect(put).to.deep.equal({
      outcome: 'created',
      etag: MD5,
      lastModified: TIME_MS,
      replacedManifest,
    });
  });

  it('look for none before a small body where segments are swept', async () => {
    const answers = { 'HEAD c+segments': CONTAINER, 'PUT c/o': created(MD5) };
    const { backend, names } = await scripted(answers, {}, { segmentsAreSwept: true });
    await backend.putObject(CONTEXT, REF, input());
    expect(names()).to.deep.equal(['PUT c/o']);
    await backend.putObject(CONTEXT, REF, stream());
    expect(names().slice(1)).to.have.members(['HEAD c/o?symlink=get', 'PUT c/o']);
  });

  it('go on where what they replace is unknown', async () => {
    for (const unknown of [
      { 'HEAD c+segments': CONTAINER, 'HEAD c/o?symlink=get': { status: 503 } },
      { 'HEAD c+segments': { status: 503 } },
    ]) {
      const { backend, names } = await scripted({ ...unknown, 'PUT c/o': created(MD5) });
      const put = await backend.putObject(CONTEXT, REF, input());
      expect(put).to.deep.equal({ outcome: 'created', etag: MD5, lastModified: TIME_MS });
      expect(names().at(-1)).to.equal('PUT c/o');
    }
  });

  it('of a stream say what a seal says in footers, which only the filter takes', async () => {
    const seal = () => ({ etag: LONG_MD5, listingAttributes: { a: 'b' } });
    const { backend, requests } = await scripted({ 'PUT c/o': created(LONG_MD5) });
    await backend.putObject(CONTEXT, REF, stream({ seal }));
    const { headers, body } = requests[0]!;
    expect(headers).to.include({ 'x-gateway-footers': '4096', etag: '0'.repeat(32) });
    expect(body).to.have.property('size', LONG.length + 4096);
  });

  it('of a stream send no footers without the filter', async () => {
    const seal = () => ({ etag: LONG_MD5, listingAttributes: { a: 'b' } });
    const answers = { 'PUT c/o': created(LONG_MD5), 'HEAD c/o?symlink=get': found() };
    const { backend, requests } = await scripted(answers, { filter: undefined });
    await backend.putObject(CONTEXT, REF, stream({ seal }));
    const [put] = requests;
    expect(put?.headers).to.deep.equal({ 'content-type': 'text/plain' });
    expect(put?.body).to.have.property('size', LONG.length);
  });

  it('keep an ETag that only looks like an MD5', async () => {
    const etag = 'a'.repeat(32);
    const answers = { 'PUT c/o': [{ status: 422 }, created(MD5)] };
    const { backend, requests } = await scripted(answers);
    const put = await backend.putObject(CONTEXT, REF, input({ seal: () => ({ etag }) }));
    expect(put).to.include({ outcome: 'created', etag });
    expect(requests.map(({ headers }) => headers?.etag)).to.deep.equal([etag, MD5]);
    expect(requests[1]?.headers).to.include({
      'x-gateway-sysmeta-object-s3api-etag': etag,
      [OVERRIDE]: `${MD5}; s3_etag=${etag}`,
    });
  });

  it('refuse a long body with attributes whose seal has no ETag', async () => {
    const { backend } = await scripted({ 'PUT c/o': created(LONG_MD5) });
    const unsealed = stream({ seal: () => ({}), listingAttributes: { a: 'b' } });
    expect(await codeOf(backend.putObject(CONTEXT, REF, unsealed))).to.equal('Unsupported');
  });
}

function describeOutcomes(): void {
  const outcomes = [
    [202, undefined, 'stale'],
    [412, { absent: true }, 'precondition_failed'],
  ] as const;
  for (const [status, precondition, outcome] of outcomes) {
    it(`are told ${outcome} by ${status}`, async () => {
      const { backend, names } = await scripted({
        'PUT c/o': { status },
        'HEAD c/guard?symlink=get': found(),
      });
      const guarded = input({ guard: GUARD });
      const put = await backend.putObject(CONTEXT, REF, guarded, precondition);
      expect(put).to.deep.equal({ outcome });
      expect(names()).to.not.include('DELETE c/guard');
    });
  }

  const failures = [
    [404, 'NoSuchContainer'],
    [412, 'Unsupported'],
    [413, 'StorageFull'],
    [499, 'BodyMismatch'],
    [503, 'Unavailable'],
    [507, 'StorageFull'],
  ] as const;
  for (const [status, code] of failures) {
    it(`fail with ${code} on ${status}, whatever was sent`, async () => {
      const { backend } = await scripted({ 'PUT c/o': { status } });
      for (const each of [input(), stream()]) {
        expect(await codeOf(backend.putObject(CONTEXT, REF, each))).to.equal(code);
      }
    });
  }

  it('fail when Swift has stored other bytes', async () => {
    const { backend } = await scripted({ 'PUT c/o': created('f'.repeat(32)) });
    const sealed = stream({ seal: () => ({ etag: LONG_MD5 }) });
    for (const each of [input(), sealed]) {
      expect(await codeOf(backend.putObject(CONTEXT, REF, each))).to.equal('Corrupt');
    }
  });

  it('ask for the time where the answer does not tell it', async () => {
    const { backend } = await scripted({
      'PUT c/o': { status: 201, headers: { etag: MD5 } },
      'HEAD c/o?symlink=get': found(),
    });
    const put = await backend.putObject(CONTEXT, REF, input());
    expect(put).to.include({ lastModified: TIME_MS });
  });

  it('refuse a condition that Swift would ignore', async () => {
    const { backend, requests } = await scripted({ 'PUT c/o': created(MD5) });
    const error = await failureOf(backend.putObject(CONTEXT, REF, input(), { etag: 'x' }));
    expect(error.code).to.equal('Unsupported');
    expect(requests).to.have.length(0);
  });
}

function describeCreations(): void {
  it('wait for other creators of the same object, when they can be sent again', async () => {
    const { backend, requests } = await scripted({ 'PUT c/o': [BUSY, BUSY, created(MD5)] });
    const put = await backend.putObject(CONTEXT, REF, input(), { absent: true });
    expect(put).to.include({ outcome: 'created' });
    expect(requests).to.have.length(3);
    const headers = { 'if-none-match': '*', 'x-gateway-create': 'exclusive' };
    for (const request of requests) {
      expect(request.headers).to.include(headers);
      expect(request.repeatable).to.equal(false);
    }
  });

  it('fail at once when they cannot be sent again', async () => {
    const { backend, requests } = await scripted({ 'PUT c/o': BUSY });
    const error = await failureOf(backend.putObject(CONTEXT, REF, stream(), { absent: true }));
    expect(error.code).to.equal('Unavailable');
    expect(requests).to.have.length(1);
  });

  it('give up with their caller while they wait', async () => {
    const { backend } = await scripted({ 'PUT c/o': BUSY });
    const context = { ...CONTEXT, cancellation: cancelledBy(AbortSignal.timeout(30)) };
    const error = await failureOf(backend.putObject(context, REF, input(), { absent: true }));
    expect(error.name).to.equal('TimeoutError');
  });
}

function describeGuards(): void {
  for (const [what, make] of [
    ['whole body', input],
    ['stream', stream],
  ] as const) {
    it(`with a guard that is missing store no ${what}`, async () => {
      const { backend, names } = await scripted({ 'PUT c/o': created(MD5) });
      const error = await failureOf(backend.putObject(CONTEXT, REF, make({ guard: GUARD })));
      expect(error.code).to.equal('GuardMissing');
      expect(names()).to.not.include('DELETE c/guard');
    });

    it(`take their guard away when the ${what} is stored`, async () => {
      const { backend, names } = await scripted({
        'PUT c/o': created(make === input ? MD5 : LONG_MD5),
        'HEAD c/guard?symlink=get': found(),
        'DELETE c/guard': { status: 204 },
      });
      await backend.putObject(CONTEXT, REF, make({ guard: GUARD }));
      expect(names().at(-1)).to.equal('DELETE c/guard');
    });
  }

  it('leave their guard when their outcome is unknown', async () => {
    const { backend, names } = await scripted({
      'PUT c/o': { status: 503 },
      'HEAD c/guard?symlink=get': found(),
    });
    await failureOf(backend.putObject(CONTEXT, REF, input({ guard: GUARD })));
    expect(names()).to.not.include('DELETE c/guard');
  });
}
