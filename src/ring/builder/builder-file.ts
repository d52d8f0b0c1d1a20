import { gunzipSync, gzipSync } from 'node:zlib';
import { deviceJson, parseDevices } from '../device.js';
import { corrupt, RingFileError } from '../ring-error.js';
import type { BuilderState } from './state.js';

/** Version of the format. */
const FORMAT = 1;
/** Four times a builder of 2^24 partitions and three replicas. */
const BYTES_MAX = 1024 * 1024 * 1024;

/**
 * A builder as bytes: JSON packed with gzip, with rows and hours in base64. The same builder makes
 * the same bytes.
 */
export function packBuilder(state: BuilderState): Buffer {
  const { devices, rows, hoursSinceMove, nextPartPower, ...plain } = state;
  const document = {
    ringway_builder: FORMAT,
    ...plain,
    nextPartPower: nextPartPower ?? null,
    devices: devices.map((device) => (device === null ? null : deviceJson(device))),
    rows: rows.map((row) => base64(row)),
    hoursSinceMove: base64(hoursSinceMove),
  };
  return gzipSync(JSON.stringify(document), { level: 6 });
}

/** @throws RingFileError for bytes that {@link packBuilder} did not make */
export function unpackBuilder(bytes: Uint8Array): BuilderState {
  const document = documentOf(bytes);
  if (document.ringway_builder !== FORMAT) throw corrupt('it is no builder of this format');
  const number = (key: string, min: number, max: number): number => {
    const value = document[key];
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw corrupt(`its ${key} is not a number from ${min} to ${max}`);
  };
  const partPower = number('partPower', 0, 32);
  const rows = listOf(document.rows).map((row) => {
    const content = Buffer.from(String(row), 'base64');
    return new Uint16Array(new Uint8Array(content).buffer, 0, content.length >>> 1);
  });
  const hoursSinceMove = new Uint8Array(Buffer.from(String(document.hoursSinceMove), 'base64'));
  if (hoursSinceMove.length !== 2 ** partPower || rows.some((row) => row.length > 2 ** partPower)) {
    throw corrupt('its rows have another length than its part power says');
  }
  return {
    partPower,
    nextPartPower: document.nextPartPower === null ? undefined : number('nextPartPower', 0, 33),
    replicas: number('replicas', 1, 1024),
    minPartHours: number('minPartHours', 0, 255),
    overload: number('overload', 0, Number.MAX_VALUE),
    version: number('version', 0, Number.MAX_SAFE_INTEGER),
    devices: parseDevices(document.devices),
    removed: listOf(document.removed).map(Number),
    rows,
    hoursSinceMove,
    countedAtS: number('countedAtS', 0, Number.MAX_SAFE_INTEGER),
    gatherStart: number('gatherStart', 0, 2 ** partPower),
  };
}

function documentOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const text = gunzipSync(bytes, { maxOutputLength: BYTES_MAX }).toString('utf8');
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null) {
      return document as Readonly<Record<string, unknown>>;
    }
  } catch (error) {
    throw new RingFileError('corrupt', `it is damaged (${(error as Error).message})`);
  }
  throw corrupt('it is no builder');
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw corrupt('a list of it is missing');
}

function base64(numbers: Uint8Array | Uint16Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
}
