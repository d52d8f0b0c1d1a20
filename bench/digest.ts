import { performance } from 'node:perf_hooks';
import {
  createDigestFactory,
  type ChecksumAlgorithm,
  type DigestService,
} from '../src/digest/index.js';

/**
 * Bodies hashed inline and on a lane, 16 at a time: throughput, and how long the event loop was
 * blocked at worst. The crossing is where `inlineBytesMax` belongs: node dist/bench/digest.js
 */

const KIB = 1024;
const BODY_BYTES = [16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 1024 * KIB, 8192 * KIB];
const CHUNK = Buffer.alloc(64 * KIB, 'x');
const CONCURRENT = 16;
const TOTAL_BYTES = 384 * 1024 * KIB;

async function upload(digests: DigestService, bytes: number, checksum?: ChecksumAlgorithm) {
  const body = digests.create({ md5: true, sha256: true, checksum }, bytes);
  for (let sent = 0; sent < bytes; sent += CHUNK.length) {
    const room = body.update(CHUNK.subarray(0, Math.min(CHUNK.length, bytes - sent)));
    if (room !== undefined) await room;
    // Chunks arrive one per turn of the event loop.
    await new Promise(setImmediate);
  }
  await body.finish();
}

async function measure(digests: DigestService, bytes: number) {
  let uploadsLeft = Math.ceil(TOTAL_BYTES / bytes);
  let last = performance.now();
  let worst = 0;
  const pulse = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - last - 1);
    last = now;
  }, 1);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      while (uploadsLeft-- > 0) await upload(digests, bytes);
    }),
  );
  clearInterval(pulse);
  const seconds = (performance.now() - startedAt) / 1000;
  return { rate: TOTAL_BYTES / 1e6 / seconds, worst };
}

console.log('body KiB   inline MB/s (worst ms)   lane MB/s (worst ms)');
for (const bytes of BODY_BYTES) {
  const cells: string[] = [];
  for (const inlineBytesMax of [Number.MAX_SAFE_INTEGER, 0]) {
    const digests = createDigestFactory({ inlineBytesMax });
    await upload(digests, CHUNK.length);
    const { rate, worst } = await measure(digests, bytes);
    cells.push(`${rate.toFixed(0).padStart(9)} (${worst.toFixed(1)})`.padEnd(23));
    await digests.close();
  }
  console.log(`${String(bytes / KIB).padStart(8)}   ${cells.join('  ')}`);
}

for (const checksum of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1'] as const) {
  const digests = createDigestFactory({ inlineBytesMax: Number.MAX_SAFE_INTEGER });
  const body = digests.create({ md5: false, sha256: false, checksum }, undefined);
  const startedAt = performance.now();
  for (let sent = 0; sent < TOTAL_BYTES; sent += CHUNK.length) await body.update(CHUNK);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${checksum.padEnd(10)} ${(TOTAL_BYTES / 1e6 / seconds).toFixed(0)} MB/s`);
  body.abort();
  await digests.close();
}
