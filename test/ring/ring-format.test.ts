import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { RingData } from '../../src/ring/ring-data.js';
import { readRingAtOnce } from '../../src/ring/ring-format.js';
import { SeededRandom } from '../fuzz/random.js';
import { device, goldenFile, reasonOf, ringV1 } from './support.js';

const HEADER = {
  byteorder: 'little',
  devs: [device(0), null, device(2)],
  part_shift: 31,
  replica_count: 2,
};
const ROWS = [[0, 2], [2]];

/** The faults of rings of format 1, and the message for each. */
const REFUSED: readonly (readonly [title: string, file: Buffer, reason: RegExp])[] = [
  ['no gzip', Buffer.from('R1NG and more than eighteen bytes'), /^corrupt: it is not packed/],
  ['an empty file', Buffer.alloc(0), /^corrupt: it is not packed with gzip$/],
  ['a gzip stream cut off', ringV1(HEADER, ROWS).subarray(0, -9), /^corrupt: its gzip stream/],
  ['no ring', gzipSync('something else'), /^corrupt: it does not begin with R1NG/],
  ['a pickle', gzipSync(Buffer.from('\x80\x02}q\x00.', 'latin1')), /^unsupported: .* pickled ring/],
  ['version 3', gzipSync('R1NG\x00\x03'), /^unsupported: it is of version 3 of the format/],
  ['only a magic', gzipSync('R1NG\x00\x01'), /^corrupt: it ends too early$/],
  ['a long header', gzipSync('R1NG\x00\x01\xff\xff\xff\xff{}'), /^corrupt: it ends too early$/],
  ['no JSON', ringV1('{"devs": NaN}', ROWS), /^corrupt: its header is no JSON$/],
  ['no object', ringV1('[]', ROWS), /^corrupt: its header is no JSON object$/],
  ['no devices', ringV1({ ...HEADER, devs: {} }, ROWS), /list of devices is not a list$/],
  ['a shift', ringV1({ ...HEADER, part_shift: 33 }, ROWS), /part_shift is no whole number from 0/],
  ['no shift', ringV1({ ...HEADER, part_shift: '31' }, ROWS), /part_shift is no whole number/],
  ['a byte order', ringV1({ ...HEADER, byteorder: 'mixed' }, ROWS), /^unsupported: its byteorder/],
  ['no rows', ringV1({ ...HEADER, replica_count: 0 }, []), /was it ever rebalanced\?$/],
  ['half a row', ringV1({ ...HEADER, replica_count: 1 }, [[0]]), /has no whole row of partitions/],
  [
    'fewer rows',
    ringV1({ ...HEADER, replica_count: 4 }, ROWS),
    /has 2 rows .* and 4 in its header/,
  ],
  ['more rows', ringV1(HEADER, [[0, 2], [2, 0], [0]]), /has 3 rows of partitions, and 2 in its/],
  ['a removed device', ringV1(HEADER, [[0, 1], [2]]), /replica 0 of partition 1 is on device 1,/],
  ['an unknown device', ringV1(HEADER, [[0, 2], [65535]]), /replica 1 .* 0 is on device 65535,/],
  [
    'a next part power',
    ringV1({ ...HEADER, next_part_power: 3 }, ROWS),
    /next_part_power is 3, and/,
  ],
  ['a version', ringV1({ ...HEADER, version: -1 }, ROWS), /its version is no whole number/],
  ...(
    [
      ['id', 1, /^corrupt: device 0 has id 1, expected its place in the list, 0$/],
      ['weight', -1, /device 0 has weight -1, expected a number of at least 0$/],
      ['weight', null, /device 0 has weight null, expected/],
      ['ip', 'no host', /device 0 has ip "no host", expected an IP address or a host name$/],
      ['ip', '[::1]', /device 0 has ip "\[::1\]", expected/],
      ['ip', undefined, /device 0 has ip missing, expected/],
      ['replication_ip', 7, /device 0 has replication_ip 7, expected/],
      ['port', 0, /device 0 has port 0, expected a whole number from 1 to 65535$/],
      ['port', '6200', /device 0 has port "6200", expected/],
      ['zone', 1.5, /device 0 has zone 1.5, expected a whole number from 0/],
      ['device', '../etc', /device 0 has device "..\/etc", expected the name of a folder$/],
      ['device', '..', /device 0 has device "..", expected/],
      ['meta', [], /device 0 has meta \[…\], expected a text$/],
    ] as const
  ).map(
    ([key, value, reason]) =>
      [
        `a device's ${key} of ${JSON.stringify(value)}`,
        ringV1({ ...HEADER, devs: [device(0, { [key]: value }), null, device(2)] }, ROWS),
        reason,
      ] as const,
  ),
];

describe('ring format', () => {
  it('has the rows, and counts what each device has', async () => {
    const ring = (await reasonOf(ringV1(HEADER, ROWS))) as RingData;
    expect(ring.rows.map((row) => [...row])).to.deep.equal(ROWS);
    expect([...ring.partCounts]).to.deep.equal([1, 0, 2]);
    expect(ring.partPower).to.equal(1);
  });

  it('fills in what old rings do not have', async () => {
    const ring = (await reasonOf(
      ringV1({ ...HEADER, devs: [device(0, { region: undefined }), null, device(2)] }, ROWS),
    )) as RingData;
    expect(ring.devices[0]).to.include({ region: 1, replicationIp: '10.0.0.1', meta: '' });
    expect(ring.devices[0]?.replicationPort).to.equal(6200);
  });

  it('reads a last row without any partition', async () => {
    const ring = (await reasonOf(
      ringV1({ ...HEADER, replica_count: 2 }, [[0, 2], []]),
    )) as RingData;
    expect(ring.rows.map(({ length }) => length)).to.deep.equal([2, 0]);
  });

  it('reads rows of either byte order', async () => {
    const swapped = ROWS.map((row) => row.map((id) => id << 8));
    const ring = (await reasonOf(ringV1({ ...HEADER, byteorder: 'big' }, swapped))) as RingData;
    expect(ring.rows.map((row) => [...row])).to.deep.equal(ROWS);
  });

  for (const [title, file, reason] of REFUSED) {
    it(`refuses ${title}`, async () => {
      expect(await reasonOf(file)).to.match(reason);
    });
  }

  it('refuses what is nested too deep to be shown', async () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    const header = JSON.stringify({ ...HEADER, devs: [device(0, { ip: 'DEEP' })] });
    const file = ringV1(header.replace('"DEEP"', deep), ROWS);
    expect(await reasonOf(file)).to.match(/^corrupt: device 0 has ip \[…\], expected an IP/);
  });

  it('refuses what unpacks to more than the limit, and what only says so', async () => {
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
    expect(await reasonOf(bomb, 1024 * 1024)).to.match(/^too_large: it takes more than 1048576/);
    const liar = Buffer.from(bomb);
    liar.writeUInt32LE(1000, liar.length - 4);
    expect(await reasonOf(liar, 1024 * 1024)).to.match(/^corrupt: its gzip stream is damaged/);
    const boaster = gzipSync('R1NG');
    boaster.writeUInt32LE(0x1fffffff, boaster.length - 4);
    expect(await reasonOf(boaster)).to.match(/^corrupt: its gzip stream is damaged/);
  });

  it('reads device ids of four bytes', () => {
    const many = Array.from({ length: 70_000 }, (_, id) => (id < 69_999 ? null : device(id)));
    const ring = readRingAtOnce(
      ringV2({ part_shift: 31, dev_id_bytes: 4 }, many, [69_999, 69_999]),
    );
    expect(ring.rows).to.deep.equal([Uint32Array.of(69_999, 69_999)]);
  });

  const refusedV2: readonly (readonly [string, () => Buffer, RegExp])[] = [
    ['ids of eight bytes', () => v2({ dev_id_bytes: 8 }), /^its dev_id_bytes is neither 2 nor 4$/],
    [
      'a wrong checksum',
      () => v2({}, ['sha256', '00']),
      /checksum of its section metadata does not/,
    ],
    ['an unknown checksum', () => v2({}, ['crc', '00']), /checksum of its section metadata is unk/],
    [
      'an end elsewhere',
      () => v2({}, undefined, 1),
      /section metadata is not as long as the index/,
    ],
  ];
  for (const [title, file, reason] of refusedV2) {
    it(`refuses in format 2 ${title}`, () => {
      expect(() => readRingAtOnce(file())).to.throw(reason);
    });
  }

  it('takes a section without a checksum, which the writer may not have known', () => {
    expect(readRingAtOnce(v2({}, ['sha256', null])).partPower).to.equal(1);
  });

  // The random damage is always the same; gzip's own checksum would find nearly all of it.
  it('answers or refuses, whatever is damaged, and never throws anything else', async () => {
    const random = new SeededRandom(7);
    let read = 0;
    for (const name of ['r4.v1.ring.gz', 'r4.v2.ring.gz', 'r11.v1.ring.gz', 'r11.v2.ring.gz']) {
      const packed = await goldenFile(name);
      const content = gunzipSync(packed);
      for (let round = 0; round < 400; round++) {
        const damaged = damage(random, round % 4 === 0 ? packed : content);
        const answer = await reasonOf(round % 4 === 0 ? damaged : gzipSync(damaged, { level: 1 }));
        if (typeof answer !== 'string') read++;
      }
    }
    // Some damage is to a weight, or a name.
    expect(read).to.be.within(1, 800);
  }).timeout(60_000);
});

function damage(random: SeededRandom, whole: Buffer): Buffer {
  const bytes = Buffer.from(whole);
  const place = random.integer(bytes.length);
  switch (random.integer(5)) {
    case 0:
      return bytes.subarray(0, place);
    case 1:
      return Buffer.concat([
        bytes.subarray(0, place),
        Buffer.alloc(9, 0xff),
        bytes.subarray(place),
      ]);
    case 2:
      return bytes.fill(0xff, place, Math.min(place + 8, bytes.length));
    case 3:
      bytes.writeUInt8(random.integer(256), random.integer(Math.min(40, bytes.length)));
      return bytes;
    default:
      bytes.writeUInt8((bytes[place] ?? 0) ^ (1 << random.integer(8)), place);
      return bytes;
  }
}

function v2(metadata: object, checksum?: readonly [string, string | null], longer = 0): Buffer {
  const base = { part_shift: 31, dev_id_bytes: 2, ...metadata };
  return ringV2(base, [device(0)], [0, 0], checksum, longer);
}

/** An unpacked ring file of format 2; what is wrong with it is so of the section `metadata`. */
function ringV2(
  metadata: { readonly dev_id_bytes: number; readonly part_shift: number },
  devices: readonly unknown[],
  ids: readonly number[],
  checksum?: readonly [string, string | null],
  longer = 0,
): Buffer {
  const width = metadata.dev_id_bytes;
  const assignments = Buffer.alloc(ids.length * width);
  ids.forEach((id, index) => assignments.writeUIntBE(id, index * width, Math.min(width, 6)));
  const sections = { metadata, devices, assignments };
  const pieces: Buffer[] = [Buffer.from('R1NG\x00\x02', 'latin1')];
  const index: Record<string, unknown> = {};
  let at = 6;
  const add = (data: Buffer): Buffer => {
    const blob = Buffer.concat([Buffer.alloc(8), data]);
    blob.writeBigUInt64BE(BigInt(data.length));
    pieces.push(blob);
    at += blob.length;
    return blob;
  };
  for (const [name, value] of Object.entries(sections)) {
    const start = at;
    const blob = add(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)));
    const right = ['sha256', createHash('sha256').update(blob).digest('hex')];
    const [method, sum] = name === 'metadata' && checksum ? checksum : right;
    const end = at + (name === 'metadata' ? longer : 0);
    index[`swift/ring/${name}`] = [0, start, 0, end, method, sum];
  }
  const tail = Buffer.alloc(16);
  tail.writeBigUInt64BE(BigInt(at));
  add(Buffer.from(JSON.stringify(index)));
  return Buffer.concat([...pieces, tail]);
}
