import { expect } from 'chai';
import type { Backend, CallContext } from '../../../src/backend/backend.js';
import { PersistentBackend } from '../../../src/backend/decorators/persistent.js';
import { BackendError, type BackendErrorCode } from '../../../src/backend/errors.js';
import { codeOf } from '../../support/failure.js';

const FINISHING: CallContext = { requestId: 'r', finishing: true };
const REF = { account: 'a', container: 'c', object: 'o' };

describe('backend: a store that is asked once more', () => {
  let calls: number;
  let pauses: number[];

  /** Fails so often. */
  function backend(
    failures: number,
    code: BackendErrorCode = 'Unavailable',
    retryAfterMs?: number,
  ): Backend {
    calls = 0;
    pauses = [];
    const answer = () => {
      calls += 1;
      return calls > failures
        ? Promise.resolve({ outcome: 'created' })
        : Promise.reject(new BackendError(code, 'refused', { retryAfterMs }));
    };
    const inner = { capabilities: {}, putObject: answer, headObject: answer, updateBody: answer };
    const pause = (ms: number): Promise<void> => {
      pauses.push(ms);
      return Promise.resolve();
    };
    return new PersistentBackend(inner as unknown as Backend, pause, pause);
  }

  const body = Buffer.from('x');
  const input = { size: 1, contentType: 'text/plain' };

  it('answers what it said in the end', async () => {
    const put = backend(5).putObject(FINISHING, REF, { ...input, body });
    expect(await put).to.deep.equal({ outcome: 'created' });
    expect(calls).to.equal(6);
    expect(pauses).to.deep.equal([10, 20, 40, 80, 160]);
    expect(await codeOf(backend(2).headObject(FINISHING, REF))).to.equal('none');
  });

  it('is given up after some attempts', async () => {
    expect(await codeOf(backend(99).headObject(FINISHING, REF))).to.equal('Unavailable');
    expect(calls).to.equal(6);
  });

  it('is not asked again before the time that it names, nor where that is too long', async () => {
    const soon = backend(2, 'Unavailable', 300);
    expect(await codeOf(soon.headObject(FINISHING, REF))).to.equal('none');
    expect(pauses).to.deep.equal([300, 10, 300, 20]);
    for (const retryAfterMs of [1_001, Infinity]) {
      const later = backend(1, 'Unavailable', retryAfterMs);
      expect(await codeOf(later.headObject(FINISHING, REF))).to.equal('Unavailable');
      expect(calls).to.equal(1);
      expect(pauses).to.deep.equal([]);
    }
  });

  it('is asked once where nothing has begun, and for any other answer', async () => {
    expect(await codeOf(backend(1).headObject({ requestId: 'r' }, REF))).to.equal('Unavailable');
    expect(calls).to.equal(1);
    const codes: readonly BackendErrorCode[] = ['NoSuchObject', 'Timeout', 'StorageFull'];
    for (const code of codes) {
      expect(await codeOf(backend(1, code).headObject(FINISHING, REF))).to.equal(code);
      expect(calls).to.equal(1);
    }
  });

  it('is not asked twice for a body that can be read once', async () => {
    async function* stream() {
      yield await Promise.resolve(body);
    }
    const put = backend(1).putObject(FINISHING, REF, { ...input, body: stream() });
    expect(await codeOf(put)).to.equal('Unavailable');
    expect(calls).to.equal(1);
    const precondition = { etag: 'e', lastModified: 1 };
    const bytes = { kind: 'bytes', source: stream() } as const;
    const update = { systemMetadata: {}, body: bytes };
    const updated = backend(1).updateBody(FINISHING, REF, update, precondition);
    expect(await codeOf(updated)).to.equal('Unavailable');
    expect(calls).to.equal(1);
  });
});
