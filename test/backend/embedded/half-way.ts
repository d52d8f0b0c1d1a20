import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { CONTEXT, inputOf, objectRef, seededBytes } from './support.js';

/** `half-way.js <directory>`: replaces an object, begins an upload, says so, and never ends it. */

const [directory = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory, unlinkDelayMs: 3_600_000 });
for (const seed of [1, 2]) {
  await store.putObject(CONTEXT, objectRef('replaced'), inputOf(seededBytes(100_000, seed)));
}

async function* endless(): AsyncGenerator<Buffer> {
  for (let i = 0; i < 3; i++) yield seededBytes(600_000, i);
  process.send?.('half way');
  // Keeps the process, and the upload, until it is killed.
  await new Promise((resolve) => setInterval(resolve, 3_600_000, 'never'));
}
const size = 10_000_000;
const input = inputOf(Buffer.alloc(0), { size, body: endless() });
await store.putObject(CONTEXT, objectRef('upload'), input);
