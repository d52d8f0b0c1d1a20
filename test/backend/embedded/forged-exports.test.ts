import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openEmbeddedStore, withOpenStore } from '../../../src/backend/embedded/index.js';
import type { StoreDeps } from '../../../src/backend/embedded/deps.js';
import { checkStore } from '../../../src/backend/embedded/upkeep/check.js';
import { importStore } from '../../../src/backend/embedded/upkeep/import.js';
import { failureOf } from '../../support/failure.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { bodyFiles, BUCKET, readAll } from './support.js';

/** An export of these lines and bodies, whose hash is right: docs/embedded-store.md has the format. */
function exportOf(parts: readonly (object | string)[], counts: object = {}): Buffer {
  const body = [{ ringway_export: 1 }, ...parts]
    .map((part) => (typeof part === 'string' ? part : `${JSON.stringify(part)}\n`))
    .join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  const end = { containers: 1, objects: 1, bytes: 1, sha256, ...counts };
  return Buffer.from(`${body}${JSON.stringify({ end })}\n`);
}

function container(change: object = {}): object {
  const acl = { read: '', write: '' };
  const settings = { created_ms: 1, metadata: {}, system_metadata: {}, acl };
  return { container: { ...BUCKET, ...settings, ...change } };
}

/** An object of one byte, which {@link BODY} has to follow. */
function object(change: object = {}): object {
  const about = { name: 'a', size: 1, etag: 'e', modified_ms: 1, content_type: 'text/plain' };
  const pairs = { headers: {}, metadata: {}, system_metadata: {}, attributes: {} };
  return { object: { ...about, ...pairs, body: 'bytes', ...change } };
}

const BODY = 'x\n';

/** Objects that no store has, and the field that the import names. */
const OBJECTS: readonly (readonly [name: string, change: object, field: string])[] = [
  ['a negative length', { size: -1 }, 'size'],
  ['a length that is a text', { size: '1' }, 'size'],
  ['a length beyond 48 bits', { size: 2 ** 48 }, 'size'],
  ['a time that is a fraction', { modified_ms: 1.5 }, 'modified_ms'],
  ['no name', { name: '' }, 'name'],
  ['a name that is too long', { name: 'n'.repeat(4000) }, 'name'],
  ['metadata that are no texts', { metadata: { a: { b: 1 } } }, 'metadata'],
  ['no headers', { headers: undefined }, 'headers'],
  ['another kind of body', { body: 'elsewhere' }, 'body'],
  ['segments that are missing', { body: 'segments' }, 'segments'],
  ['a list without segments', { body: 'segments', segments: [] }, 'segments'],
  ['a link without a target', { body: 'link' }, 'target'],
];

/** Whole exports, and what the import says of them. */
const EXPORTS: readonly (readonly [name: string, bytes: Buffer, why: string])[] = [
  ...OBJECTS.map(
    ([name, change, field]) =>
      [name, exportOf([container(), object(change), BODY]), `whose ${field} cannot`] as const,
  ),
  ['a length beyond the device', exportOf([container(), object({ size: 2 ** 47 })]), 'are free'],
  ['an object before all containers', exportOf([object(), BODY]), 'outside of a container'],
  ['an object of null', exportOf([container(), { object: null }]), 'whose content cannot'],
  ['a container with a slash', exportOf([container({ container: '../x' })]), 'whose container'],
  [
    'a container twice',
    exportOf([container(), container()], { containers: 2, objects: 0, bytes: 0 }),
    'the same container twice',
  ],
  [
    'an object twice',
    exportOf([container(), object(), BODY, object(), BODY], { objects: 2, bytes: 2 }),
    'the same object twice',
  ],
  ['other counts', exportOf([container(), object(), BODY], { objects: 2 }), 'its counts'],
  ['a body that is too long', exportOf([container(), object(), 'xy\n']), 'no line break'],
  [
    'another export behind it',
    Buffer.concat([exportOf([container(), object(), BODY]), exportOf([])]),
    'something behind its last line',
  ],
];

describe('an export that somebody has written by hand', () => {
  const target = useTempFolder('forged');

  /** How many objects there are; the store has no damage. */
  async function soundObjects(deps: StoreDeps): Promise<number> {
    const { objects } = await checkStore(deps, NEVER, (fault) => {
      expect.fail(JSON.stringify(fault));
    });
    return objects;
  }

  it('is refused with one line, and leaves nothing', () =>
    withOpenStore({ directory: target() }, async (deps) => {
      for (const [name, bytes, why] of EXPORTS) {
        const { message } = await failureOf(importStore(deps, NEVER, chunkOf(bytes)));
        expect(message, name).to.include(why).and.not.include('\n');
        expect(await soundObjects(deps), name).to.equal(0);
        expect(await bodyFiles(target()), name).to.deep.equal([]);
      }
    }));

  it('may have names that a file system would take for paths', async () => {
    const names = ['../../../../tmp/x', '/etc/passwd', 'a\u0000b'];
    const objects = names.flatMap((name) => [object({ name }), BODY]);
    const whole = exportOf([container(), ...objects], { objects: 3, bytes: 3 });
    await withOpenStore({ directory: target() }, async (deps) => {
      await importStore(deps, NEVER, chunkOf(whole));
      expect(await soundObjects(deps)).to.equal(3);
    });
    const store = await openEmbeddedStore({ directory: target() });
    for (const name of names) expect((await readAll(store, name)).toString()).to.equal('x');
    await store.close();
  });
});

async function* chunkOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const NEVER = new AbortController().signal;
