import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from '../config/problem.js';
import { presentDevices, type Device } from './device.js';
import { fragmentCount, type Policies, type Policy } from './policy.js';
import { Ring } from './ring.js';
import { replicaCount } from './ring-data.js';
import { RingFileError } from './ring-error.js';
import { readRingFile, stampOf, type RingFile } from './ring-file.js';

/** How often Swift looks whether a ring has changed. */
export const RING_CHECK_INTERVAL_MS = 15_000;

export interface RingSetOptions {
  /** The directory of swift.conf and the rings: `/etc/swift`. */
  readonly directory: string;
  readonly policies: Policies;
  /** Called when a ring was replaced, could not be, or is well again: for logs and metrics. */
  readonly onChange?: (state: RingState) => void;
  readonly files?: RingFiles;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** How ring files are read; of the file system, unless a test says otherwise. */
export interface RingFiles {
  /** @throws RingFileError */
  read(path: string): Promise<RingFile>;
  /** @returns {@link RingFile.stamp} of the file as it is now */
  stamp(path: string): Promise<string>;
}

/** How it stands with one ring. */
export interface RingState {
  /** `account`, `container`, `object`, `object-1`, … */
  readonly name: string;
  readonly file: string;
  /** The MD5 of the ring in use. */
  readonly md5: string;
  readonly version: number | undefined;
  readonly loadedAtMs: number;
  /** Why the file that is there now is not in use; an older one still is. */
  readonly problem: { readonly reason: string; readonly sinceMs: number } | undefined;
}

/**
 * The rings of a cluster, read anew when their files change. There is a ring at every moment: what
 * cannot be read leaves the one that was.
 */
export class RingSet {
  readonly #entries: ReadonlyMap<string, Entry>;
  #refreshing: Promise<void> | undefined;

  private constructor(
    entries: readonly Entry[],
    private readonly options: Required<RingSetOptions>,
  ) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /**
   * Reads the rings of accounts, containers and all policies' objects.
   *
   * @throws ConfigError with a line for each that cannot be used
   */
  static async open(given: RingSetOptions): Promise<RingSet> {
    const options = { onChange: ignore, files: FILE_SYSTEM, now: Date.now, ...given };
    const policies = [...options.policies.values()];
    const wanted = [
      { name: 'account', policy: undefined },
      { name: 'container', policy: undefined },
      ...policies.map((policy) => ({ name: policy.ringName, policy })),
    ];
    const entries: Entry[] = [];
    const problems: ConfigProblem[] = [];
    for (const { name, policy } of wanted) {
      const path = join(options.directory, `${name}.ring.gz`);
      try {
        const file = await load(options.files, path, policy);
        entries.push(new Entry(name, path, policy, file, options.now()));
      } catch (error) {
        if (!(error instanceof RingFileError)) throw error;
        problems.push(problemOf(path, error));
      }
    }
    if (problems.length > 0) throw new ConfigError(problems);
    return new RingSet(entries, options);
  }

  /** @returns undefined for the name of no ring of the set */
  ring(name: string): Ring | undefined {
    return this.#entries.get(name)?.ring;
  }

  /** The devices of all rings; one that is in several of them comes as often. */
  devices(): Device[] {
    return [...this.#entries.values()].flatMap(({ ring }) => presentDevices(ring.data.devices));
  }

  states(): RingState[] {
    return [...this.#entries.values()].map((entry) => entry.state());
  }

  /** Reads the files that have changed, and those that could not be read. Never throws. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Refreshes now and then. @returns what ends that */
  watch(intervalMs = RING_CHECK_INTERVAL_MS): () => void {
    const timer = setInterval(() => void this.refresh(), intervalMs);
    timer.unref();
    return () => {
      clearInterval(timer);
    };
  }

  async #refresh(): Promise<void> {
    const { files, now, onChange } = this.options;
    for (const entry of this.#entries.values()) {
      if (await entry.refresh(files, now)) onChange(entry.state());
    }
  }
}

/** One ring, and the file it is of. */
class Entry {
  ring: Ring;
  #file: RingFile;
  #loadedAtMs: number;
  #problem: RingState['problem'];

  constructor(
    readonly name: string,
    private readonly path: string,
    private readonly policy: Policy | undefined,
    file: RingFile,
    nowMs: number,
  ) {
    this.ring = new Ring(file.data);
    this.#file = file;
    this.#loadedAtMs = nowMs;
  }

  state(): RingState {
    return {
      name: this.name,
      file: this.path,
      md5: this.#file.md5,
      version: this.#file.data.version,
      loadedAtMs: this.#loadedAtMs,
      problem: this.#problem,
    };
  }

  /** @returns whether the state is another one */
  async refresh(files: RingFiles, now: () => number): Promise<boolean> {
    try {
      const stamp = await files.stamp(this.path);
      const isKnown = stamp === this.#file.stamp;
      if (isKnown && this.#problem === undefined) return false;
      if (!isKnown) this.#use(await load(files, this.path, this.policy), now());
      this.#problem = undefined;
      return true;
    } catch (error) {
      const reason = error instanceof RingFileError ? error.reason : (error as Error).message;
      if (this.#problem?.reason === reason) return false;
      this.#problem = { reason, sinceMs: this.#problem?.sinceMs ?? now() };
      return true;
    }
  }

  #use(file: RingFile, nowMs: number): void {
    this.ring = new Ring(file.data);
    this.#file = file;
    this.#loadedAtMs = nowMs;
  }
}

/** @throws RingFileError also where the ring does not fit its policy */
async function load(files: RingFiles, path: string, policy: Policy | undefined): Promise<RingFile> {
  const file = await files.read(path);
  const coding = policy?.erasureCoding;
  if (policy === undefined || coding === undefined) return file;
  const replicas = replicaCount(file.data.rows);
  const expected = fragmentCount(coding);
  if (replicas === expected) return file;
  throw new RingFileError(
    'unsupported',
    `it has ${replicas} replicas, where the erasure-coded policy ${policy.name} has ${expected}`,
  );
}

function problemOf(path: string, { reason }: RingFileError): ConfigProblem {
  return { source: 'file', key: path, expected: `a ring file of Swift: ${reason}` };
}

const FILE_SYSTEM: RingFiles = {
  read: (path) => readRingFile(path),
  stamp: async (path) => stampOf(await stat(path, { bigint: true })),
};

function ignore(): void {
  // The state is not observed.
}
