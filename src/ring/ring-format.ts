import { createHash } from 'node:crypto';
import { parseDevices, type Devices } from './device.js';
import { countParts, type RingData, type Row } from './ring-data.js';
import { corrupt, RingFileError, unsupported } from './ring-error.js';

/**
 * The two formats of ring files, once unpacked.
 * https://docs.openstack.org/swift/latest/overview_ring_format.html
 *
 *     v1: "R1NG" | u16 1 | u32 length, JSON | rows of u16, in the JSON's byte order
 *     v2: "R1NG" | u16 2 | sections, each u64 length, data | index, the same | u64 offset of the
 *         index | u64 its offset in the packed file
 *
 * Numbers are big-endian, but for the rows of v1.
 */
const MAGIC = 'R1NG';
const HEADER_BYTES = 6;
/** 65,535 devices take some 17 MB. Far above what a ring has, and far below what would hurt. */
const JSON_BYTES_MAX = 32 * 1024 * 1024;
const PART_SHIFT_MAX = 32;
/** Erasure coding with copies has some dozens. */
const REPLICAS_MAX = 1024;

/** Reading in steps of less than a millisecond, between which the owner lets others run. */
export type Reading<T> = Generator<undefined, T>;

/**
 * @param content - an unpacked ring file; nothing of it is kept
 * @throws RingFileError where it is damaged or of a kind that is not read
 */
export function* readRing(content: Buffer): Reading<RingData> {
  const format = readFormat(content);
  const table = format === 1 ? yield* readV1(content) : yield* readV2(content);
  const { metadata, devices, rows } = table;
  const partPower = PART_SHIFT_MAX - metadata.partShift;
  const partCounts = yield* countParts(rows, devices, (id, replica, part) =>
    corrupt(`replica ${replica} of partition ${part} is on device ${id}, which is not in the ring`),
  );
  return {
    format,
    partPower,
    nextPartPower: checkedNextPartPower(metadata.nextPartPower, partPower),
    version: metadata.version,
    devices,
    rows,
    partCounts,
  };
}

/** The result of {@link readRing}, without a break. */
export function readRingAtOnce(content: Buffer): RingData {
  const reading = readRing(content);
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  return step.value;
}

function readFormat(content: Buffer): 1 | 2 {
  if (content.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    // The first byte of a pickle of protocol 2 and later.
    throw content[0] === 0x80
      ? unsupported('it is a pickled ring (version 0), which is not read: have Swift write it anew')
      : corrupt(`it does not begin with ${MAGIC}: it is no ring file`);
  }
  if (content.length < HEADER_BYTES) throw endsEarly();
  const version = content.readUInt16BE(MAGIC.length);
  if (version !== 1 && version !== 2) {
    throw unsupported(`it is of version ${version} of the format; versions 1 and 2 are read`);
  }
  return version;
}

interface Metadata {
  readonly partShift: number;
  readonly version: number | undefined;
  readonly nextPartPower: number | undefined;
}

interface Table {
  readonly metadata: Metadata;
  readonly devices: Devices;
  readonly rows: readonly Row[];
}

function* readV1(content: Buffer): Reading<Table> {
  const start = HEADER_BYTES + 4;
  if (content.length < start) throw endsEarly();
  const end = start + content.readUInt32BE(HEADER_BYTES);
  if (end > content.length) throw endsEarly();
  const json = parseJson(content.subarray(start, end), 'header');
  const order = json.get('byteorder') ?? 'little';
  if (order !== 'little' && order !== 'big') {
    throw unsupported('its byteorder is neither "little" nor "big"');
  }
  const metadata = readMetadata(json);
  const count = wholeNumber(json, 'replica_count', 0, REPLICAS_MAX);
  const rows = yield* readRows(content.subarray(end), metadata, 2, order);
  // With a fraction such as 3.25 replicas of two partitions, the last row is empty and missing.
  if (rows.length === count - 1) rows.push(new Uint16Array(0));
  if (rows.length !== count) {
    throw corrupt(`it has ${rows.length} rows of partitions, and ${count} in its header`);
  }
  return { metadata, devices: parseDevices(json.get('devs')), rows };
}

const TAIL_BYTES = 16;
const LENGTH_BYTES = 8;

function* readV2(content: Buffer): Reading<Table> {
  if (content.length < HEADER_BYTES + LENGTH_BYTES + TAIL_BYTES) throw endsEarly();
  const tail = content.length - TAIL_BYTES;
  const indexStart = readLength(content, tail);
  const index = parseJson(blobAt(content, indexStart, tail, 'index'), 'index');
  const section = function* (name: string): Reading<Buffer> {
    return yield* readSection(content, indexStart, index.get(`swift/ring/${name}`), name);
  };
  const json = parseJson(yield* section('metadata'), 'metadata');
  const metadata = readMetadata(json);
  const idBytes = json.get('dev_id_bytes');
  if (idBytes !== 2 && idBytes !== 4) {
    throw unsupported('its dev_id_bytes is neither 2 nor 4');
  }
  const devices = parseDevices(parseList(yield* section('devices'), 'devices'));
  const rows = yield* readRows(yield* section('assignments'), metadata, idBytes, 'big');
  return { metadata, devices, rows };
}

const CHECKSUMS = new Set<unknown>(['md5', 'sha1', 'sha256', 'sha512']);
/** Some hundred microseconds of SHA-256. */
const HASH_SLICE_BYTES = 128 * 1024;

/** @param entry - of the index: starts and ends, packed and unpacked, then the checksum */
function* readSection(
  content: Buffer,
  indexStart: number,
  entry: unknown,
  name: string,
): Reading<Buffer> {
  if (!Array.isArray(entry)) throw corrupt(`it has no section ${name}`);
  const [, start, , end, method, checksum] = entry as unknown[];
  if (typeof start !== 'number' || !Number.isInteger(start) || start < HEADER_BYTES) {
    throw corrupt(`its section ${name} begins nowhere`);
  }
  const data = blobAt(content, start, indexStart, `section ${name}`);
  const blob = content.subarray(start, start + LENGTH_BYTES + data.length);
  if (end !== null && end !== start + blob.length) {
    throw corrupt(`its section ${name} is not as long as the index says`);
  }
  // The writer may not have known it; the checksum of the gzip stream holds in any case.
  if (checksum === null) return data;
  if (!CHECKSUMS.has(method)) throw unsupported(`the checksum of its section ${name} is unknown`);
  const hash = createHash(method as string);
  for (let at = 0; at < blob.length; at += HASH_SLICE_BYTES) {
    hash.update(blob.subarray(at, at + HASH_SLICE_BYTES));
    yield;
  }
  if (hash.digest('hex') !== checksum) {
    throw corrupt(`the checksum of its section ${name} does not match`);
  }
  return data;
}

/** The data behind a length, none of which lies at or beyond `limit`. */
function blobAt(content: Buffer, start: number, limit: number, what: string): Buffer {
  if (start < HEADER_BYTES || start + LENGTH_BYTES > limit) {
    throw corrupt(`its ${what} is not inside the file`);
  }
  const from = start + LENGTH_BYTES;
  const end = from + readLength(content, start);
  if (end > limit) throw corrupt(`its ${what} is not inside the file`);
  return content.subarray(from, end);
}

/** @returns Infinity for what no file is as long as */
function readLength(content: Buffer, offset: number): number {
  const length = content.readBigUInt64BE(offset);
  return length > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(length);
}

const HOST_ORDER = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big';

function* readRows(
  bytes: Buffer,
  { partShift }: Metadata,
  idBytes: 2 | 4,
  order: 'little' | 'big',
): Reading<Row[]> {
  if (bytes.length % idBytes !== 0) throw corrupt('its last row ends in the middle of a device id');
  const rowBytes = 2 ** (PART_SHIFT_MAX - partShift) * idBytes;
  const wholeRows = Math.floor(bytes.length / rowBytes);
  if (wholeRows === 0) throw corrupt('it has no whole row of partitions: was it ever rebalanced?');
  if (wholeRows > REPLICAS_MAX)
    throw corrupt(`it has more than ${REPLICAS_MAX} rows of partitions`);
  const rows: Row[] = [];
  for (let start = 0; start < bytes.length; start += rowBytes) {
    // A copy, because the row has to begin at a multiple of its numbers' size.
    const copy = new Uint8Array(bytes.subarray(start, start + rowBytes));
    if (order !== HOST_ORDER) {
      const swapped = Buffer.from(copy.buffer);
      if (idBytes === 2) swapped.swap16();
      else swapped.swap32();
    }
    rows.push(idBytes === 2 ? new Uint16Array(copy.buffer) : new Uint32Array(copy.buffer));
    yield;
  }
  return rows;
}

type Json = ReadonlyMap<string, unknown>;

function parseJson(bytes: Buffer, what: string): Json {
  const value = parseJsonValue(bytes, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw corrupt(`its ${what} is no JSON object`);
  }
  return new Map(Object.entries(value));
}

function parseList(bytes: Buffer, what: string): unknown[] {
  const value = parseJsonValue(bytes, what);
  if (!Array.isArray(value)) throw corrupt(`its ${what} are no JSON list`);
  return value;
}

function parseJsonValue(bytes: Buffer, what: string): unknown {
  if (bytes.length > JSON_BYTES_MAX) {
    throw new RingFileError('too_large', `its ${what} takes more than ${JSON_BYTES_MAX} bytes`);
  }
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw corrupt(`its ${what} is no JSON`);
  }
}

function readMetadata(json: Json): Metadata {
  const optional = (key: string, max: number): number | undefined =>
    (json.get(key) ?? null) === null ? undefined : wholeNumber(json, key, 0, max);
  return {
    partShift: wholeNumber(json, 'part_shift', 0, PART_SHIFT_MAX),
    version: optional('version', Number.MAX_SAFE_INTEGER),
    nextPartPower: optional('next_part_power', PART_SHIFT_MAX),
  };
}

function wholeNumber(json: Json, key: string, min: number, max: number): number {
  const value = json.get(key);
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw corrupt(`its ${key} is no whole number from ${min} to ${max}`);
}

function checkedNextPartPower(next: number | undefined, partPower: number): number | undefined {
  if (next === undefined || next === partPower || next === partPower + 1) return next;
  throw corrupt(`its next_part_power is ${next}, and its part power ${partPower}`);
}

function endsEarly(): RingFileError {
  return corrupt('it ends too early');
}
