import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
  type Dirent,
} from 'node:fs';
import path from 'node:path';
import { writeDurablySync } from '../../../../src/lib/durable-file.js';
import { classify, nameOf, type DiskCopy, type Exhibit } from './classify.js';
import {
  folderOf,
  isHash,
  isPartition,
  isSuffix,
  parseDiskName,
  policyOfFolder,
} from './disk-names.js';
import { devicesToRead, type VisibleDevice } from './visible-devices.js';
import { readName } from './file-metadata.js';
import { AGE_EDGES_S, emptySummary, type ScanSummary } from './summary.js';

export interface ScanInput {
  /** The folder of the nodes' devices: of devices, or of folders of them. */
  readonly root: string;
  /** The file of exhibits, one a line; beside it lies where a scan goes on that was cut. */
  readonly file: string;
  readonly nowS: number;
  readonly reclaimAgeS: number;
  /** Names of devices to read; empty for all. */
  readonly devices: readonly string[];
  readonly filesMax: number;
  readonly secondsMax: number;
  readonly dirsPerS: number;
}

export interface ScanProgress {
  readonly done: number;
  readonly total: number | null;
}

/** The questions of the scan to the rings. */
export interface ScanRings {
  /**
   * The primaries of a partition among the devices that are read, by their names; undefined where no
   * ring says it.
   */
  readonly primaries: (policy: number, part: number) => ReadonlySet<string> | undefined;
  /** Whether a name belongs to the folder of a hash; true where that cannot be told. */
  readonly isName: (name: string, hash: string) => boolean;
}

/**
 * Reads the deleted objects on the disks below a root, partition by partition, so that what is held
 * is no more than one partition. It writes exhibits to a file, and reads on where it was cut.
 * It blocks its thread.
 *
 * @throws system errors of the root and of the file
 */
export function scanTombstones(
  input: ScanInput,
  rings: ScanRings,
  tell: (progress: ScanProgress) => void,
): ScanSummary {
  const root = realpathSync(input.root);
  const devices = devicesToRead(root, input.devices);
  const scan = new Scan(input, rings, devices, tell);
  return scan.run();
}

interface Cursor {
  readonly policy: number;
  readonly part: number;
  readonly offset: number;
  readonly summary: ScanSummary;
}

const BUFFER_BYTES = 64 * 1024;
/** Objects of one partition on one device; what is more is left out, and counted. */
const HASHES_MAX = 100_000;
const PARTITIONS_PER_CURSOR = 64;

class Scan {
  readonly #out: number;
  readonly #startedMs = Date.now();
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #summary: ScanSummary;
  #offset: number;
  #dirs = 0;
  #lines: string[] = [];
  #lineBytes = 0;
  readonly #from: Pick<Cursor, 'policy' | 'part'> | undefined;

  constructor(
    private readonly input: ScanInput,
    private readonly rings: ScanRings,
    private readonly devices: readonly VisibleDevice[],
    private readonly tell: (progress: ScanProgress) => void,
  ) {
    mkdirSync(path.dirname(input.file), { recursive: true, mode: 0o700 });
    const cursor = this.#readCursor();
    this.#from = cursor;
    this.#summary = cursor?.summary ?? emptySummary(input, devices.map(nameOf));
    this.#offset = cursor?.offset ?? 0;
    this.#out = openSync(input.file, existsSync(input.file) ? 'r+' : 'w', 0o600);
    ftruncateSync(this.#out, this.#offset);
  }

  run(): ScanSummary {
    try {
      this.#scan();
      this.#flush();
      return this.#summary;
    } finally {
      closeSync(this.#out);
    }
  }

  #scan(): void {
    const policies = this.#policies();
    const all = policies.flatMap((policy) =>
      this.#partitions(policy).map((part) => ({ policy, part })),
    );
    const from = this.#from ?? { policy: -1, part: -1 };
    for (const [index, { policy, part }] of all.entries()) {
      if (policy < from.policy || (policy === from.policy && part <= from.part)) continue;
      if (this.#isOver()) return;
      this.#readPartition(policy, part);
      const done = index + 1;
      if (done % PARTITIONS_PER_CURSOR === 0) this.#keepCursor(policy, part);
      this.tell({ done, total: all.length });
    }
  }

  #isOver(): boolean {
    const { filesMax, secondsMax } = this.input;
    const isFull = this.#summary.files >= filesMax;
    if (!isFull && Date.now() - this.#startedMs < 1000 * secondsMax) return false;
    this.#summary = {
      ...this.#summary,
      partial: isFull ? `after ${filesMax} files` : `after ${secondsMax} s`,
    };
    return true;
  }

  #policies(): number[] {
    const found = new Set<number>();
    for (const { folder } of this.devices) {
      for (const name of this.#folders(folder)) {
        const policy = policyOfFolder(name);
        if (policy !== undefined) found.add(policy);
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  #partitions(policy: number): number[] {
    const found = new Set<number>();
    for (const { folder } of this.devices) {
      for (const name of this.#folders(path.join(folder, folderOf(policy)))) {
        if (isPartition(name)) found.add(Number(name));
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  #readPartition(policy: number, part: number): void {
    const byHash = new Map<string, { copies: DiskCopy[]; paths: string[] }>();
    for (const one of this.devices) {
      const folder = path.join(one.folder, folderOf(policy), String(part));
      for (const suffix of this.#folders(folder)) {
        if (!isSuffix(suffix)) continue;
        for (const hash of this.#folders(path.join(folder, suffix))) {
          if (!isHash(hash, suffix)) continue;
          if (byHash.size >= HASHES_MAX && !byHash.has(hash)) {
            this.#summary = {
              ...this.#summary,
              partial: 'without all objects of a partition that has too many',
            };
            continue;
          }
          const place = path.join(folder, suffix, hash);
          const copy = this.#readObject(one, place);
          if (copy === undefined) continue;
          const known = byHash.get(hash) ?? { copies: [], paths: [] };
          known.copies.push(copy);
          known.paths.push(place);
          byHash.set(hash, known);
        }
      }
    }
    const primaries = this.rings.primaries(policy, part);
    const { nowS, reclaimAgeS } = this.input;
    for (const [hash, { copies, paths }] of byHash) {
      const place = { hash, policyIndex: policy, part };
      const found = classify(place, copies, { nowS, reclaimAgeS, primaries });
      if (found !== undefined) this.#add(found, copies, paths);
    }
  }

  #readObject({ node, device }: VisibleDevice, folder: string): DiskCopy | undefined {
    const files = this.#entries(folder).flatMap((entry) => {
      if (!entry.isFile()) return [];
      this.#summary = { ...this.#summary, files: this.#summary.files + 1 };
      return parseDiskName(entry.name) ?? [];
    });
    if (files.length === 0) return undefined;
    const isDeleted = files.some(({ kind }) => kind === 'ts');
    const timesOf = (place: string): { ctimeMs: number; birthMs: number } => {
      // Only what has a tombstone is looked at: the other copies matter by their names alone.
      if (!isDeleted) return { ctimeMs: 0, birthMs: 0 };
      try {
        const { ctimeMs, birthtimeMs } = lstatSync(place);
        return { ctimeMs, birthMs: birthtimeMs };
      } catch {
        return { ctimeMs: 0, birthMs: 0 };
      }
    };
    const timed = files.map((file) => ({ ...file, ...timesOf(path.join(folder, file.name)) }));
    return { node, device, files: timed, birthMs: timesOf(folder).birthMs };
  }

  #add(
    found: Omit<Exhibit, 'name' | 'name_source'>,
    copies: readonly DiskCopy[],
    paths: readonly string[],
  ): void {
    let exhibit: Exhibit = { ...found, name: null, name_source: null };
    search: for (const [index, { files }] of copies.entries()) {
      for (const { name: file } of files) {
        const read = readName(path.join(paths[index] ?? '', file));
        if (read === undefined || !this.rings.isName(read.name, found.hash)) continue;
        exhibit = { ...found, name: read.name.slice(0, 4096), name_source: read.source };
        break search;
      }
    }
    this.#count(exhibit);
    const line = `${JSON.stringify(exhibit)}\n`;
    this.#lines.push(line);
    this.#lineBytes += Buffer.byteLength(line);
    if (this.#lineBytes >= BUFFER_BYTES) this.#flush();
  }

  #count(exhibit: Exhibit): void {
    const { classes, ages, by_device: byDevice, ...rest } = this.#summary;
    const source = exhibit.name_source ?? 'none';
    for (const { class: one } of exhibit.classes) classes[one]++;
    const bin = AGE_EDGES_S.findIndex((edge) => exhibit.age_s < edge);
    const place = bin === -1 ? AGE_EDGES_S.length : bin;
    ages[place] = (ages[place] ?? 0) + 1;
    for (const copy of exhibit.copies) {
      if (copy.ts === null) continue;
      const name = nameOf(copy);
      byDevice[name] = (byDevice[name] ?? 0) + 1;
    }
    rest.names[source]++;
    this.#summary = { ...rest, classes, ages, by_device: byDevice, exhibits: rest.exhibits + 1 };
  }

  #folders(folder: string): string[] {
    return this.#entries(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  }

  /** The entries of a folder, in order; what may not be read is counted. */
  #entries(folder: string): Dirent[] {
    this.#waitForTurn();
    try {
      return readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') {
        this.#summary = { ...this.#summary, denied: this.#summary.denied + 1 };
      }
      return [];
    }
  }

  /** The disks have other work: no more folders than so many a second. */
  #waitForTurn(): void {
    this.#dirs++;
    const aheadMs = (1000 * this.#dirs) / this.input.dirsPerS - (Date.now() - this.#startedMs);
    if (aheadMs >= 5) Atomics.wait(this.#pause, 0, 0, aheadMs);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#lineBytes = 0;
    let written = 0;
    while (written < bytes.length) {
      written += writeSync(
        this.#out,
        bytes,
        written,
        bytes.length - written,
        this.#offset + written,
      );
    }
    this.#offset += bytes.length;
  }

  #keepCursor(policy: number, part: number): void {
    this.#flush();
    const cursor: Cursor = { policy, part, offset: this.#offset, summary: this.#summary };
    const file = cursorFile(this.input.file);
    // Before it says that what lies before its offset is there.
    fsyncSync(this.#out);
    writeDurablySync(file, JSON.stringify(cursor));
  }

  #readCursor(): Cursor | undefined {
    try {
      const cursor = JSON.parse(readFileSync(cursorFile(this.input.file), 'utf8')) as Cursor;
      return statSync(this.input.file).size >= cursor.offset ? cursor : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Where a scan says how far it is. */
export function cursorFile(file: string): string {
  return `${file}.cursor`;
}
