import { createDigestFactory, type DigestService } from '../../src/digest/index.js';
import type { Row, Subject } from './subject.js';

const KIB = 1024;
const BODIES_KIB = [16, 64, 128, 256, 1024, 8192];
const CHUNK = Buffer.alloc(64 * KIB, 'x');
const ROUND_BYTES = 128 * 1024 * KIB;

/**
 * Bodies hashed on the loop and on a lane, and checksums alone. The loop's longest turns show where
 * `digest_inline_bytes_max` belongs.
 */
export function open(): Promise<Subject> {
  const inline = createDigestFactory({ inlineBytesMax: Number.MAX_SAFE_INTEGER });
  const onLane = createDigestFactory({ inlineBytesMax: 0 });
  const bodies = BODIES_KIB.map((kib) => [
    hashed(`${kib} KiB, on the loop`, inline, kib * KIB),
    hashed(`${kib} KiB, on a lane`, onLane, kib * KIB),
  ]);
  const checksums = (['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1'] as const).map((checksum): Row => {
    const body = inline.create({ md5: false, sha256: false, checksum }, undefined);
    const calls = ROUND_BYTES / CHUNK.length;
    return { name: checksum, calls, bytes: CHUNK.length, call: () => body.update(CHUNK) };
  });
  const close = () => Promise.all([inline.close(), onLane.close()]);
  return Promise.resolve({ steps: [...bodies, checksums], close });
}

function hashed(name: string, digests: DigestService, bytes: number): Row {
  const call = async (): Promise<void> => {
    const body = digests.create({ md5: true, sha256: true, checksum: undefined }, bytes);
    for (let sent = 0; sent < bytes; sent += CHUNK.length) {
      const room = body.update(CHUNK.subarray(0, Math.min(CHUNK.length, bytes - sent)));
      if (room !== undefined) await room;
      // Chunks arrive one per turn of the event loop.
      await new Promise(setImmediate);
    }
    await body.finish();
  };
  return { name, calls: Math.ceil(ROUND_BYTES / bytes), inFlight: 16, bytes, call };
}
