import { randomBytes } from 'node:crypto';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  classify,
  type ClassifyContext,
  type DiskCopy,
} from '../../../console/surfaces/lab/tombstones/classify.js';
import { parseDiskName } from '../../../console/surfaces/lab/tombstones/disk-names.js';
import type { ExhibitsPage } from '../../../console/surfaces/lab/tombstones/exhibits-file.js';
import type {
  ExhibitView,
  ScansView,
  ScanView,
} from '../../../console/surfaces/lab/tombstones/page.js';
import { PickleError, readPickle } from '../../../console/surfaces/lab/tombstones/pickle.js';
import { cursorFile, scanTombstones } from '../../../console/surfaces/lab/tombstones/scan.js';
import { PathHash } from '../../../src/ring/path-hash.js';
import { Ring } from '../../../src/ring/ring.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import { describeWith, program } from '../../support/needs.js';
import { mustRun } from '../../support/programs.js';
import { makeTempFolder, removeFolder, useTempFolderOnce } from '../../support/temp-folder.js';
import { codeOf, expectRefused, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { builtRing, clusterFolder } from './support.js';
import { makeObject, pickled } from './tombstones-support.js';

const NOW_S = 1_700_100_000;
const TS = '1700000000.12345';
const OLD = '1600000000.12345';

/** A copy of an object, whose folder was made before its files. */
function copy(device: string, files: readonly string[], born = 1): DiskCopy {
  return {
    node: '',
    device,
    birthMs: born,
    files: files.map((name) => ({
      ...parseDiskName(name)!,
      ctimeMs: 1_700_000_005_000,
      birthMs: 5,
    })),
  };
}

function classesOf(copies: readonly DiskCopy[], more: Partial<ClassifyContext> = {}): string[] {
  const place = { hash: 'f'.repeat(32), policyIndex: 0, part: 1 };
  const primaries = new Set(['d1', 'd2', 'd3']);
  const context = { nowS: NOW_S, reclaimAgeS: 604_800, primaries, ...more };
  const found = classify(place, copies, context);
  return found?.classes.map(({ class: one }) => one) ?? ['none'];
}

describe('the classes of the Tombstone Museum', () => {
  const all = (file: string, born?: number) => ['d1', 'd2', 'd3'].map((d) => copy(d, [file], born));

  it('are told apart by the names on the disks', () => {
    expect(classesOf(all(`${TS}.ts`))).to.deep.equal(['normal']);
    expect(classesOf(all('1700000000.00000.ts'))).to.deep.equal(['expired']);
    expect(classesOf(all(`${TS}_0000000000000001.ts`))).to.deep.equal(['reconciler']);
    expect(classesOf(all('1700000000.12399_00000000000000ff.ts')))
      .to.include('gateway')
      .and.not.include('reconciler');
    expect(classesOf(all(`${OLD}.ts`))).to.deep.equal(['overdue']);
    expect(classesOf(all(`${TS}.ts`, 9))).to.deep.equal(['phantom']);
    expect(classesOf(all(`${TS}.ts`).slice(1))).to.deep.equal(['split']);
    const stray = [...all(`${TS}.ts`), copy('d9', [`${TS}.ts`])];
    expect(classesOf(stray)).to.deep.equal(['handoff']);
    const behind = [copy('d1', [`${OLD}.data`]), ...all(`${TS}.ts`).slice(1)];
    expect(classesOf(behind)).to.deep.equal(['split']);
    expect(classesOf([copy('d1', [`${TS}.data`])])).to.deep.equal(['none']);
    expect(classesOf(all(`${TS}.ts`).slice(1), { primaries: undefined })).to.deep.equal(['normal']);
  });

  it('say what may bring an object back', () => {
    const place = { hash: 'f'.repeat(32), policyIndex: 0, part: 1 };
    const copies = [copy('d1', [`${OLD}.data`]), copy('d2', [`${TS}.ts`])];
    const context = { nowS: NOW_S, reclaimAgeS: 604_800, primaries: new Set(['d1', 'd2']) };
    expect(classify(place, copies, context)?.risk).to.include('Older data on d1');
    expect(classify(place, copies.slice(1), context)).to.deep.include({ lacking: ['d1'] });
    const row = classify(place, copies, context)?.copies[1];
    expect(row).to.include({ role: 'primary', ts: TS, lag_s: 5 });
  });

  it('know the names of files that Swift gives', () => {
    expect(parseDiskName(`${TS}#3#d.data`)).to.include({ kind: 'data', fragment: 3 });
    expect(parseDiskName(`${TS}_00000000000000ab.ts`)).to.include({ offset: '00000000000000ab' });
    expect(parseDiskName(`${TS}-1f.meta`)).to.include({ kind: 'meta', timestamp: TS });
    expect(parseDiskName(`${TS}.durable`)).to.include({ kind: 'durable' });
    for (const name of ['.ts', 'x.ts', `${TS}.tsx`, `../${TS}.ts`, `${TS}.ts\n`, '170.1.ts']) {
      expect(parseDiskName(name), name).to.equal(undefined);
    }
  });
});

describeWith([program('python3')], 'the reader of pickles', () => {
  it('reads what Python writes', async () => {
    const script = [
      'import pickle, sys',
      'm = {b"name": "/a/c/\\u00fc".encode(), b"X-Timestamp": b"1.0", b"X-Object-Meta-\\xc3\\xbc": b"", b"l": b"x" * 300}',
      'sys.stdout.write(pickle.dumps(m, 2).hex())',
    ].join('\n');
    const { stdout } = await mustRun('python3', ['-c', script]);
    const read = readPickle(Buffer.from(stdout, 'hex'));
    expect(Object.fromEntries(read)).to.deep.equal({
      name: '/a/c/ü',
      'X-Timestamp': '1.0',
      'X-Object-Meta-ü': '',
      l: 'x'.repeat(300),
    });
    expect(readPickle(pickled({ name: '/a/c/é' })).get('name')).to.equal('/a/c/é');
  });

  it('refuses what does something, or is no such dictionary', async () => {
    const script = [
      'import pickle, os, sys',
      'class E:',
      '  def __reduce__(self): return (os.system, ("touch /tmp/never",))',
      'for v in [E(), [1], {"a": 1}, {"a": {"b": "c"}}]: print(pickle.dumps(v, 2).hex())',
      'print(pickle.dumps({b"name": b"x"}, 4).hex())',
    ].join('\n');
    const { stdout } = await mustRun('python3', ['-c', script]);
    for (const hex of stdout.trim().split('\n')) {
      expect(() => readPickle(Buffer.from(hex, 'hex')), hex).to.throw(PickleError);
    }
    const whole = pickled({ name: '/a/c/o' });
    for (let length = 0; length < whole.length; length++) {
      expect(() => readPickle(whole.subarray(0, length))).to.throw(PickleError);
    }
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.concat([Buffer.from([0x80, 2]), randomBytes(round % 40)]);
      try {
        readPickle(bytes);
      } catch (error) {
        expect(error).to.be.instanceOf(PickleError);
      }
    }
  });
});

describe('a pickle that uses one long text again and again', () => {
  const LENGTH = 500_000;
  const unicode = (text: string): Buffer => {
    const head = Buffer.from('X....');
    head.writeUInt32LE(text.length, 1);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const whole = (...parts: (Buffer | string | readonly number[])[]): Buffer => {
    const bytes = parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part),
    );
    return Buffer.concat([Buffer.from([0x80, 2]), ...bytes, Buffer.from('.')]);
  };
  const long = unicode('x'.repeat(LENGTH));

  it('is refused before it fills the memory with bytes', () => {
    // Each call makes bytes of the text in place 0, and leaves them on the stack.
    const calls = 'h\x02h\x00h\x01\x86R';
    const one = Buffer.from(calls, 'latin1');
    const many = Buffer.concat(Array.from({ length: 40 }, () => one));
    const pickle = whole(long, [0x71, 0], unicode('latin1'), [0x71, 1], 'c_codecs\nencode\n', [0x71, 2], many); // prettier-ignore
    expect(() => readPickle(pickle)).to.throw(PickleError, 'too much');
  });

  it('is refused before it fills the memory with values', () => {
    const bytes = Buffer.from('T....');
    bytes.writeUInt32LE(LENGTH, 1);
    const held = Buffer.concat([bytes, Buffer.alloc(LENGTH, 'x'), Buffer.from([0x71, 0])]);
    // The dictionary is above it: each key has the same value.
    const items = Array.from({ length: 40 }, (_, at) => Buffer.from(`U\x01${String.fromCharCode(65 + at)}h\x00s`, 'latin1')); // prettier-ignore
    expect(() => readPickle(whole(held, '}', ...items))).to.throw(PickleError, 'too much');
  });
});

describe('scans of the Tombstone Museum', function () {
  this.timeout(60_000);
  let bed: TestBed;
  const root = useTempFolderOnce('disks');
  const cluster = useOnce(clusterFolder, removeFolder);
  let operator: ConsoleClient;
  const ring = new Ring(builtRing());
  const salt = { prefix: Buffer.alloc(0), suffix: Buffer.from('changeme') };
  const hash = new PathHash(salt);
  const now = Math.floor(Date.now() / 1000);

  const place = (name: string) => {
    const hex = hash.hex('AUTH_test', 'c', name);
    const part = ring.partition(hex);
    const devices = ring.primaries(part).map(({ device }) => device);
    return { hash: hex, part, devices };
  };
  const deleted = (name: string, ts: string, count = 3, policy = 0): string => {
    const { hash: hex, part, devices } = place(name);
    for (const device of devices.slice(0, count)) {
      makeObject(root(), { device, part, hash: hex, policy }, [`${ts}.ts`], `/AUTH_test/c/${name}`);
    }
    return hex;
  };

  before(async () => {
    for (const device of ring.data.devices) {
      await mkdir(join(root(), device?.device ?? '', 'objects'), { recursive: true });
    }
    deleted('whole', `${now - 100}.50000`);
    deleted('half', `${now - 100}.50000`, 1);
    deleted('old', `${now - 700_000}.50000`);
    deleted('expired', `${now - 100}.00000`);
    deleted('coded', `${now - 100}.50000`, 3, 1);
    const { part, hash: hex, devices } = place('there');
    for (const device of devices) makeObject(root(), { device, part, hash: hex }, [`${TS}.data`]);
    // Files that are not Swift's, and links that lead out of the root.
    const outside = await makeTempFolder('outside');
    makeObject(outside, { device: 'd0', part: 1, hash: 'a'.repeat(32) }, [`${TS}.ts`]);
    await symlink(join(outside, 'd0'), join(root(), 'linked'));
    await symlink(join(outside, 'd0', 'objects', '1'), join(root(), 'd0', 'objects', '63999'));
    makeObject(root(), { device: 'd0', part: 2, hash: 'b'.repeat(32) }, ['rubbish.ts', '..ts']);
    const forged = { device: 'd1', part: 3, hash: 'c'.repeat(32) };
    makeObject(root(), forged, [`${now - 50}.50000.ts`], '/AUTH_test/c/another');
    bed = await startTestBed(
      { lab_enabled: true, store_dir: cluster(), node_root: root() },
      { nowMs: 1000 * now },
    );
    operator = await bed.login();
  });

  after(async () => {
    await bed.close();
  });

  const scanned = async (body: object = {}): Promise<ScanView> => {
    const started = await operator.post('/lab/api/tombstones/scans', body);
    expect(started.status, started.text).to.equal(202);
    const { id } = started.json() as { id: string };
    return eventually(
      () => operator.read<ScanView>(`/lab/api/tombstones/scans/${id}`),
      ({ scan }) => ['done', 'failed'].includes(scan.state),
    );
  };

  it('find the deleted objects, their names and their classes', async () => {
    const { scan } = await scanned();
    expect(scan.error).to.equal(null);
    expect(scan.result).to.deep.include({ exhibits: 6, partial: null });
    const { items, next } = await operator.read<ExhibitsPage>(
      `/lab/api/tombstones?scan=${scan.id}`,
    );
    expect(next).to.equal(null);
    const byName = new Map(items.map((one) => [one.name ?? one.hash, one]));
    const classes = (name: string) =>
      byName.get(name)?.classes.map(({ class: one }) => one) ?? ['not there'];
    expect(classes('/AUTH_test/c/half')).to.include('split');
    expect(classes('/AUTH_test/c/old')).to.include('overdue');
    expect(classes('/AUTH_test/c/expired')).to.include('expired');
    expect(byName.get('/AUTH_test/c/coded')).to.include({ policy_index: 1 });
    expect(byName.get('/AUTH_test/c/whole')?.copies).to.have.length(3);
    expect(byName.has('/AUTH_test/c/there')).to.equal(false);
    // The name in the metadata is not that of the folder.
    expect(byName.get('c'.repeat(32))).to.include({ name: null, name_source: null });
    expect(classes('c'.repeat(32))).to.include('handoff');
    expect(byName.has('a'.repeat(32))).to.equal(false);
    const split = await operator.read<ExhibitsPage>(
      `/lab/api/tombstones?scan=${scan.id}&class=overdue`,
    );
    expect(split.items.map(({ name }) => name)).to.deep.equal(['/AUTH_test/c/old']);
    const { exhibit, check } = await operator.read<ExhibitView>(
      `/lab/api/tombstones/scans/${scan.id}/${place('half').hash}`,
    );
    expect([exhibit.name, exhibit.lacking.length, check]).to.deep.equal([
      '/AUTH_test/c/half',
      2,
      null,
    ]);
    const { items: scans } = await operator.read<ScansView>('/lab/api/tombstones/scans');
    expect(scans[0]).to.include({ id: scan.id, state: 'done' });
  });

  it('are bounded, by device and by files', async () => {
    const one = await scanned({ devices: ['d0'] });
    expect(Object.keys(one.scan.result?.by_device ?? {})).to.deep.equal(['d0']);
    // Of a device that is not read, nobody knows what it lacks.
    const [device = ''] = place('half').devices;
    const { scan } = await scanned({ devices: [device] });
    const { items } = await operator.read<ExhibitsPage>(`/lab/api/tombstones?scan=${scan.id}`);
    expect(items.map(({ name }) => name)).to.include('/AUTH_test/c/half');
    expect(items.flatMap(({ lacking }) => lacking)).to.deep.equal([]);
    expect(scan.result?.classes.split).to.equal(0);
    const few = await scanned({ max_files: 1 });
    expect(few.scan.result?.partial).to.equal('after 1 files');
    const refused = await operator.post('/lab/api/tombstones/scans', { devices: ['../x'] });
    expect(codeOf(refused)).to.equal('invalid_argument');
    const files = await readdir(join(bed.stateDir, 'lab', 'tombstones'));
    expect(files.some((file) => file.endsWith('.cursor'))).to.equal(false);
  });

  it('go on where they were cut', async () => {
    const folder = await makeTempFolder('scan');
    try {
      for (let part = 0; part < 200; part++) {
        const hex = part.toString(16).padStart(32, '0');
        makeObject(folder, { device: 'sda', part, hash: hex }, [`${TS}.ts`]);
      }
      const file = join(folder, 'found.jsonl');
      const input = {
        ...{ root: folder, file, nowS: NOW_S, reclaimAgeS: 1, devices: [] },
        ...{ filesMax: 1000, secondsMax: 60, dirsPerS: 100_000 },
      };
      const rings = { primaries: () => undefined, isName: () => true };
      let told = 0;
      expect(() =>
        scanTombstones(input, rings, () => {
          if (++told === 150) throw new Error('cut');
        }),
      ).to.throw('cut');
      expect(await readdir(folder)).to.include('found.jsonl.cursor');
      let again = 0;
      const summary = scanTombstones(input, rings, () => again++);
      expect(again).to.equal(200 - 128);
      expect(summary).to.include({ exhibits: 200, files: 200 });
      const { stdout } = await mustRun('sort', ['-u', file]);
      expect(stdout.trim().split('\n')).to.have.length(200);
      await writeFile(cursorFile(file), 'rubbish');
      expect(scanTombstones(input, rings, () => undefined)).to.include({ exhibits: 200 });
    } finally {
      await removeFolder(folder);
    }
  });

  it('need node_root', async () => {
    await using off = await startTestBed({ lab_enabled: true });
    const client = await off.login();
    await expectRefused(client.post('/lab/api/tombstones/scans', {}), 501, 'unsupported_here');
    const view = await client.read<ScansView>('/lab/api/tombstones/scans');
    expect(view.unavailable?.needs).to.equal('node_root');
  });
});
