import { constants, gzipSync } from 'node:zlib';
import { deviceJson } from './device.js';
import type { RingData } from './ring-data.js';
import { RingBuildError } from './ring-error.js';

/** Python's GzipFile, as Swift calls it, has this time in it; equal rings are equal files. */
const MTIME_S = 1_300_507_380;
const MTIME_OFFSET = 4;
const DEVICE_ID_MAX = 0xfffe;
const ROWS_OFFSET = 10;

/**
 * A ring file of format 1, which every Swift since 1.7 reads. The same ring makes the same bytes.
 *
 * @throws RingBuildError for a ring with device ids of more than two bytes
 */
export function writeRing(ring: RingData): Buffer {
  if (ring.devices.length > DEVICE_ID_MAX + 1) {
    throw new RingBuildError(`a ring file of format 1 has device ids up to ${DEVICE_ID_MAX}`);
  }
  const json = Buffer.from(toAscii(JSON.stringify(headerOf(ring))), 'latin1');
  const slots = ring.rows.reduce((sum, row) => sum + row.length, 0);
  const content = Buffer.alloc(ROWS_OFFSET + json.length + slots * 2);
  content.write('R1NG');
  content.writeUInt16BE(1, 4);
  content.writeUInt32BE(json.length, 6);
  json.copy(content, ROWS_OFFSET);
  let at = ROWS_OFFSET + json.length;
  for (const row of ring.rows) {
    for (const id of row) at = content.writeUInt16LE(id, at);
  }
  const packed = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
  packed.writeUInt32LE(MTIME_S, MTIME_OFFSET);
  return packed;
}

function headerOf(ring: RingData): object {
  return {
    byteorder: 'little',
    devs: ring.devices.map((device) => (device === null ? null : deviceJson(device))),
    ...(ring.nextPartPower === undefined ? {} : { next_part_power: ring.nextPartPower }),
    part_shift: 32 - ring.partPower,
    replica_count: ring.rows.length,
    ...(ring.version === undefined ? {} : { version: ring.version }),
  };
}

/** Swift reads the JSON as ASCII. */
function toAscii(json: string): string {
  return json.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
