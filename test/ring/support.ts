import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { RingData } from '../../src/ring/ring-data.js';
import { RingFileError } from '../../src/ring/ring-error.js';
import { unpackRing } from '../../src/ring/ring-file.js';

export const GOLDEN = join(process.cwd(), 'test/ring/golden');
export const PYTHON = join(process.cwd(), 'test/ring/python');

/** Swift's answers on the golden rings. */
export async function goldenJson(name: string): Promise<unknown> {
  const bytes = await readFile(join(GOLDEN, `${name}.json.gz`));
  return JSON.parse(gunzipSync(bytes).toString('utf8'));
}

export function goldenFile(name: string): Promise<Buffer> {
  return readFile(join(GOLDEN, name));
}

/** A ring file of format 1 with these parts, right or wrong. */
export function ringV1(header: unknown, rows: readonly (readonly number[])[]): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const start = Buffer.alloc(10);
  start.write('R1NG');
  start.writeUInt16BE(1, 4);
  start.writeUInt32BE(json.length, 6);
  const body = Buffer.alloc(rows.reduce((sum, row) => sum + row.length, 0) * 2);
  rows.flat().forEach((id, index) => body.writeUInt16LE(id, index * 2));
  return gzipSync(Buffer.concat([start, json, body]));
}

/** @returns the reason why the file is refused, or the ring */
export async function reasonOf(packed: Buffer, bytesMax?: number): Promise<string | RingData> {
  try {
    return (await unpackRing(packed, bytesMax)).data;
  } catch (error) {
    if (error instanceof RingFileError) return `${error.fault}: ${error.reason}`;
    throw error;
  }
}

export function device(id: number, more: object = {}): object {
  return { id, region: 1, zone: 1, ip: '10.0.0.1', port: 6200, device: 'd', weight: 1, ...more };
}
