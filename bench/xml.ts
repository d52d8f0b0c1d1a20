import { performance } from 'node:perf_hooks';
import { renderDeleteResult } from '../src/s3/xml/delete-result.js';
import { createXmlPool } from '../src/s3/xml-pool/index.js';
import type { DocumentName } from '../src/s3/xml-pool/documents.js';

/**
 * XML bodies parsed on the event loop and on the thread: how long the loop is busy, at the median.
 * The crossing of a millisecond is where `xml_inline_bytes_max` belongs: node dist/bench/xml.js
 */

const COUNTS: readonly (readonly [DocumentName, number])[] = [
  ['Delete', 10],
  ['Delete', 100],
  ['Delete', 200],
  ['Delete', 1000],
  ['CompleteMultipartUpload', 10],
  ['CompleteMultipartUpload', 50],
  ['CompleteMultipartUpload', 100],
  ['CompleteMultipartUpload', 1000],
  ['CompleteMultipartUpload', 10_000],
];

function documentOf(name: DocumentName, count: number): Buffer {
  const entries = Array.from({ length: count }, (_, i) =>
    name === 'Delete'
      ? `<Object><Key>some/prefix/folder-${i % 10}/object-${i}.bin</Key></Object>`
      : `<Part><ETag>"${'0123456789abcdef'.repeat(2)}"</ETag><PartNumber>${i + 1}</PartNumber></Part>`,
  );
  return Buffer.from(`<${name}>${entries.join('')}</${name}>`);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Milliseconds of CPU of this process, its threads included, and of wall time. */
async function timed(task: () => unknown): Promise<{ cpuMs: number; wallMs: number }> {
  const cpuAt = process.cpuUsage();
  const startedAt = performance.now();
  await task();
  const { user, system } = process.cpuUsage(cpuAt);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt };
}

/** Milliseconds that the event loop was busy. */
async function loopBusy(task: () => unknown): Promise<number> {
  const before = performance.eventLoopUtilization();
  await task();
  return performance.eventLoopUtilization(before).active;
}

console.log('document                  entries    bytes   loop ms   on thread: loop ms / CPU ms');
for (const [name, count] of COUNTS) {
  const body = documentOf(name, count);
  const rounds = count > 1000 ? 9 : 41;
  const cells: number[] = [];
  for (const inlineBytesMax of [Number.MAX_SAFE_INTEGER, 0]) {
    const pool = createXmlPool({ inlineBytesMax });
    const parse = () => pool.parse(name, body);
    for (let i = 0; i < rounds; i++) await parse();
    const cpu: number[] = [];
    const loop: number[] = [];
    for (let i = 0; i < rounds; i++) {
      // A turn of the loop each, so that its utilization is that of one document.
      await new Promise(setImmediate);
      loop.push(await loopBusy(parse));
      cpu.push((await timed(parse)).cpuMs);
    }
    cells.push(median(cpu), median(loop));
    await pool.close();
  }
  const [inlineCpu = 0, , threadCpu = 0, threadLoop = 0] = cells;
  console.log(
    `${name.padEnd(25)} ${String(count).padStart(7)} ${String(body.length).padStart(8)}   ${inlineCpu.toFixed(2).padStart(7)}   ${threadLoop.toFixed(2)} / ${threadCpu.toFixed(2)}`,
  );
}

const outcomes = Array.from({ length: 1000 }, (_, i) => ({
  outcome: 'deleted' as const,
  key: `some/prefix/object-${i}.bin`,
}));
const renders: number[] = [];
for (let i = 0; i < 101; i++) {
  renders.push((await timed(() => Buffer.from(renderDeleteResult(outcomes, false)))).cpuMs);
}
console.log(`DeleteResult of 1000 entries, rendered on the loop: ${median(renders).toFixed(2)} ms`);
