import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { describeCall, RecordingBackend } from '../../support/backend/recording.js';
import { BUCKET, CONTEXT, inputOf, KEY, withStore } from './support.js';

describe('recorded calls', () => {
  it('are told in the order in which they began, and counted', async () => {
    await withStore(async (store) => {
      const backend = new RecordingBackend(store);
      const copy = { ...KEY, object: 'copy' };
      await backend.ping(CONTEXT);
      await backend.listContainers(CONTEXT, BUCKET.account, { limit: 1 });
      await backend.putObject(CONTEXT, KEY, inputOf('x'));
      await Promise.all([
        backend.copyObject(CONTEXT, KEY, copy, {}),
        backend.headObject(CONTEXT, KEY),
      ]);
      await backend.headObject(CONTEXT, { ...KEY, object: 'missing' }).catch(() => undefined);
      expect(backend.counts()).to.deep.equal({
        ping: 1,
        listContainers: 1,
        putObject: 1,
        copyObject: 1,
        headObject: 2,
      });
      const calls = backend.take();
      expect(calls.map(describeCall)).to.deep.equal([
        'ping',
        'listContainers AUTH_test',
        'putObject bucket/key',
        'copyObject bucket/copy from bucket/key',
        'headObject bucket/key',
        'headObject bucket/missing',
      ]);
      expect(calls.map(({ kind }) => kind).join(' ')).to.equal('read read write write read read');
      expect(backend.calls).to.deep.equal([]);
      expect(backend.counts()).to.deep.equal({});
    });
  });

  it('are those of every method, each passed on with all it was given', async () => {
    const passed: unknown[][] = [];
    const inner = new Proxy({} as Backend, {
      get: (_, method) => {
        if (method === 'capabilities') return CAPABILITIES;
        return (...args: unknown[]) => {
          passed.push([method, ...args]);
          return Promise.resolve(method);
        };
      },
    });
    const backend = new RecordingBackend(inner);
    expect(backend.capabilities).to.equal(CAPABILITIES);
    const given = ['context', 'a', 'b', 'c', 'd', 'e'];
    for (const method of METHODS) {
      const call = Reflect.get(backend, method) as (...args: unknown[]) => Promise<unknown>;
      const args = given.slice(0, call.length);
      expect(await call.apply(backend, args)).to.equal(method);
      expect(passed.at(-1)).to.deep.equal([method, ...args]);
    }
    expect(backend.calls.map(({ method }) => method)).to.deep.equal(
      METHODS.filter((method) => method !== 'close'),
    );
  });
});

const CAPABILITIES = { atomicCreate: true };

/** Of a class, so that a method that is new to the interface is found here, too. */
const METHODS = Object.getOwnPropertyNames(
  Object.getPrototypeOf(RecordingBackend.prototype) as object,
).filter((name) => name !== 'constructor' && name !== 'around');
