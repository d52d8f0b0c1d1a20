import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore, withOpenStore } from '../src/backend/embedded/index.js';
import { checkStore } from '../src/backend/embedded/upkeep/check.js';
import { compactIndex } from '../src/backend/embedded/upkeep/compact.js';
import { exportStore } from '../src/backend/embedded/upkeep/export.js';
import { importStore } from '../src/backend/embedded/upkeep/import.js';

/**
 * How long the upkeep of an embedded store takes, and its memory: fills one, checks, exports, imports
 * and compacts it.
 *
 *   node dist/bench/store-upkeep.js [objects] [directory]      default: 1000000, a temporary directory
 */

const BODY_BYTES = 1024;
const IN_FLIGHT = 256;
const NEVER = new AbortController().signal;

const objects = Number(process.argv[2] ?? 1_000_000);
const root = await mkdtemp(join(process.argv[3] ?? tmpdir(), 'ringway-upkeep-'));
const [from, to, file] = ['from', 'to', 'export'].map((name) => join(root, name)) as [
  string,
  string,
  string,
];

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const mib = Math.round(process.memoryUsage().rss / 1024 ** 2);
  process.stdout.write(
    `${what}: ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, ${mib} MiB resident\n`,
  );
}

async function fill(): Promise<void> {
  const store = await openEmbeddedStore({ directory: from });
  const ref = { account: 'AUTH_bench', container: 'bucket' };
  const call = { requestId: 'bench' };
  await store.createContainer(call, ref, {});
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < objects) {
      const object = `folder/${String(next++).padStart(9, '0')}`;
      const input = {
        size: BODY_BYTES,
        contentType: 'text/plain',
        body: Buffer.alloc(BODY_BYTES, object),
      };
      await store.putObject(call, { ...ref, object }, input);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  await store.close();
}

async function exportAll(): Promise<void> {
  const target = createWriteStream(file);
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      target.write(bytes, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  await withOpenStore({ directory: from }, (deps) => exportStore(deps, NEVER, write));
  await new Promise((resolve) => target.end(resolve));
}

const importAll = (): Promise<unknown> =>
  withOpenStore({ directory: to }, (deps) =>
    importStore(deps, NEVER, createReadStream(file, { highWaterMark: 1024 ** 2 })),
  );

process.stdout.write(`${objects} objects of ${BODY_BYTES} bytes\n`);
try {
  await timed('fill', fill);
  await timed('check', () =>
    withOpenStore({ directory: from }, (deps) => checkStore(deps, NEVER, () => undefined)),
  );
  await timed('export', exportAll);
  process.stdout.write(`the export has ${(await stat(file)).size} bytes\n`);
  await timed('import', importAll);
  await timed('compact', () => compactIndex(from));
} finally {
  await rm(root, { recursive: true });
}
