import { expect } from 'chai';
import type { Backend, CallContext, ObjectHead } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { bodyRefOf } from '../../../src/s3/cold/cold-object.js';
import { headNamedVersion, updateNamedVersion } from '../../../src/s3/object/named-version.js';
import { Adoption } from '../../../src/s3/versions/archives.js';
import { readCurrentState } from '../../../src/s3/versions/current-state.js';
import { hexKey } from '../../../src/s3/versions/names.js';
import { VersionIds } from '../../../src/s3/versions/version-entry.js';
import { contextOf } from '../context.js';
import { CALL, keyOf } from './support.js';

const KEY = keyOf('k');
const REF = { account: KEY.account, container: KEY.bucket, object: KEY.key };
const HEAD = {
  size: 5,
  etag: 'of-the-target',
  lastModified: 2,
  contentType: 'text/plain',
  headers: {},
  metadata: {},
  systemMetadata: {},
} satisfies ObjectHead;
const linked = (container: string, object: string) => ({
  ...HEAD,
  link: { target: { container, object }, etag: 'of-the-link', lastModified: 1, systemMetadata: {} },
});
const FOREIGN = linked('x', 's');
const OURS = linked(`${KEY.bucket}+versions`, `${hexKey(KEY.key)}/${'a'.repeat(32)}`);
const denied = (): Promise<never> => Promise.reject(new BackendError('Denied', 'as planned'));
/** A requester who may read everything: more than the readers of the bucket. */
const OWNER: CallContext = { ...CALL, behalf: { allows: () => true, header: 'owner' } };

/** A call: whose rights it has, and whether it asks for a link itself. */
interface Asked {
  readonly role: string;
  readonly isItself: boolean;
}

function roleOf({ behalf }: CallContext): string {
  const said = decodeURIComponent(behalf?.header ?? '');
  return said.startsWith('{') ? (JSON.parse(said) as { role: string }).role : said;
}

/** A store with a pointer of a client at the key, which leads out of the bucket. */
function storeOf(asked: Asked[], more: Partial<Backend> = {}): Backend {
  return {
    headObject: (call: CallContext, _ref: unknown, { linkItself = false } = {}) => {
      asked.push({ role: roleOf(call), isItself: linkItself });
      return linkItself ? Promise.resolve(linked('x', 's')) : denied();
    },
    ...more,
  } as unknown as Backend;
}

describe('s3/versions: pointers of clients of the store', () => {
  it('are looked at by the rights of the bucket, and are themselves where they lead out of it', async () => {
    const asked: Asked[] = [];
    const state = await readCurrentState(storeOf(asked), OWNER, KEY);
    expect(state).to.include({ kind: 'plain', etag: 'of-the-link', lastModified: 1 });
    expect(asked).to.deep.equal([
      { role: 'bucket', isItself: false },
      { role: 'bucket', isItself: true },
    ]);
  });

  it('are no versions: the bytes of other containers are not kept for readers of the bucket', async () => {
    const roles: string[] = [];
    const store = storeOf([], {
      copyObject: (call) => {
        roles.push(roleOf(call));
        return denied();
      },
    });
    const state = await readCurrentState(store, OWNER, KEY);
    if (state.kind !== 'plain') throw new Error(state.kind);
    const adoption = new Adoption(store, new VersionIds());
    expect(await adoption.archive(OWNER, KEY, state)).to.equal(undefined);
    expect(roles).to.deep.equal(['bucket']);
  });

  it('keep the names of their segments, and no segment is read for that', async () => {
    const roles: string[] = [];
    const head = { ...HEAD, segmentCount: 1 };
    const store = {
      headObject: () => Promise.resolve(head),
      getSegments: () => Promise.resolve([{ container: 'x', object: 's', size: 5, etag: 'e' }]),
      putManifest: (call: CallContext) => {
        roles.push(roleOf(call));
        return Promise.resolve({ outcome: 'created', etag: 'e', lastModified: 3 });
      },
    } as unknown as Backend;
    const plain = { kind: 'plain', etag: head.etag, lastModified: 2, head } as const;
    const entry = await new Adoption(store, new VersionIds()).archive(OWNER, KEY, plain);
    expect([entry?.size, roles]).to.deep.equal([5, ['names']]);
  });

  it('are not changed through: only our own link leads to what is changed', async () => {
    const written: string[] = [];
    const change = (head: ObjectHead) =>
      updateNamedVersion(
        contextOf({
          request: `PUT /${KEY.bucket}/k?tagging`,
          backend: {
            headObject: () => Promise.resolve(head),
            updateObject: (_call, { container }) => {
              written.push(container);
              return Promise.resolve({ outcome: 'updated' } as const);
            },
          },
        }),
        { patchFor: () => ({ a: 'b' }) },
      );
    await change(OURS);
    const error: unknown = await change(FOREIGN).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'MethodNotAllowed');
    expect(written).to.deep.equal([`${KEY.bucket}+versions`]);
  });

  it('are read under their own name, and have no body that the cold tier could take', async () => {
    const context = contextOf({
      request: `HEAD /${KEY.bucket}/k`,
      backend: { headObject: () => Promise.resolve(FOREIGN) },
    });
    const { ref } = await headNamedVersion(context);
    expect(ref.container).to.equal(KEY.bucket);
    expect(bodyRefOf(REF, FOREIGN)).to.equal(undefined);
    expect(bodyRefOf(REF, OURS)?.container).to.equal(`${KEY.bucket}+versions`);
  });
});
