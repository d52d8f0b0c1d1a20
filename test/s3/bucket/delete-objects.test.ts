import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { DeleteOutcome, ObjectRef, RemovedManifest } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { S3Response } from '../../../src/s3/operation.js';
import { deleteObjects } from '../../../src/s3/bucket/delete-objects.js';
import { failureOf } from '../../support/failure.js';
import { contextOf } from '../context.js';

const MANIFEST: RemovedManifest = { size: 9, etag: 'e-2', systemMetadata: {} };

/** Runs a request for these keys. */
async function run(
  keys: readonly string[],
  deleteObject: (ref: ObjectRef) => Promise<DeleteOutcome>,
  replaced?: (target: ObjectRef, manifest: RemovedManifest | undefined) => void,
): Promise<S3Response> {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`);
  const body = `<Delete>${objects.join('')}</Delete>`;
  return deleteObjects(
    contextOf({
      request: 'POST /bucket?delete',
      headers: { 'content-md5': createHash('md5').update(body).digest('base64') },
      body,
      backend: { deleteObject: (_call, ref) => deleteObject(ref) },
      replaced,
    }),
  );
}

const DELETED: DeleteOutcome = { outcome: 'deleted' };

describe('DeleteObjects', () => {
  it('has a bounded number of deletes under way', async () => {
    let underWay = 0;
    let most = 0;
    const keys = Array.from({ length: 500 }, (_, i) => `key-${i}`);
    await run(keys, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return DELETED;
    });
    expect(most).to.be.within(2, 64);
  });

  it('answers in the order of the request, whichever key is done first', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    const release = new Map<string, () => void>();
    const response = run(keys, async ({ object }) => {
      await new Promise<void>((resolve) => release.set(object, resolve));
      return DELETED;
    });
    while (release.size < keys.length) await new Promise(setImmediate);
    for (const key of [...keys].reverse()) release.get(key)?.();
    expect(keysOf(await response)).to.deep.equal(keys);
  });

  it('reports failures of the store key by key, and hands them over for the log', async () => {
    const response = await run(['fine', 'broken'], ({ object }) =>
      object === 'fine'
        ? Promise.resolve(DELETED)
        : Promise.reject(new BackendError('Unavailable', 'no store')),
    );
    expect(response.status).to.equal(200);
    expect(response.body).to.match(/<Deleted><Key>fine<\/Key>.*<Code>ServiceUnavailable<\/Code>/);
    expect(response.failures?.map(({ code }) => code)).to.deep.equal(['ServiceUnavailable']);
  });

  it('never takes a delete that changed nothing for done', async () => {
    const response = await run(['stale'], () => Promise.resolve({ outcome: 'stale' }));
    expect(response.body).to.contain('<Error><Key>stale</Key><Code>OperationAborted</Code>');
  });

  it('ends with whatever is no answer of the store, such as a client that left', async () => {
    let begun = 0;
    const keys = Array.from({ length: 500 }, (_, i) => `key-${i}`);
    const response = run(keys, () => {
      begun += 1;
      return Promise.reject(new Error('gone'));
    });
    expect((await failureOf(response)).message).to.equal('gone');
    expect(begun).to.be.lessThan(keys.length);
  });

  it('hands over the parts of large objects that it deleted', async () => {
    const handed: [string, RemovedManifest | undefined][] = [];
    await run(
      ['large'],
      () => Promise.resolve({ outcome: 'deleted', removedManifest: MANIFEST }),
      ({ container, object }, manifest) => handed.push([`${container}/${object}`, manifest]),
    );
    expect(handed).to.deep.equal([['bucket/large', MANIFEST]]);
  });
});

function keysOf({ body }: S3Response): string[] {
  const text = typeof body === 'string' ? body : '';
  return [...text.matchAll(/<Key>([^<]*)</g)].map((match) => match[1] ?? '');
}
