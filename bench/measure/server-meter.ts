import { commandLineOf, figuresOf, processTree, proportionalBytesOf } from './processes.js';

/** Processes that are measured together. */
export interface MeteredGroup {
  readonly name: string;
  /** Their descendants are included. */
  readonly pids: readonly number[];
}

/** The use of a target's processes while they were measured. */
export interface ServerUse {
  /** CPU milliseconds of each group, without what is counted apart. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** CPU milliseconds of processes that do not work on requests: see {@link APART}. */
  readonly apartCpuMs: number;
  /** The largest sum over all processes that was seen: what several share counts for each. */
  readonly rssBytes: number;
  /** The same, with shared memory counted once; undefined if it may not be read. */
  readonly pssBytes: number | undefined;
  readonly anonymousBytes: number;
}

/** The janitor does what happens without a request. It is in the RSS, but not in the CPU. */
const APART = /\bjanitor-process\.js\b/;

const SAMPLE_MS = 100;
/** One of so many samples tells the PSS as well, which is much dearer: 0.3 % of two processors. */
const PSS_EVERY = 10;

/** Measures the processes of one target over one slice. */
export class ServerMeter {
  readonly #before: ReadonlyMap<number, number>;
  readonly #peak = { rssBytes: 0, anonymousBytes: 0 };
  #pssBytes: number | undefined;
  #samples = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly groups: readonly MeteredGroup[]) {
    this.#before = new Map(this.#sample().map(({ pid, cpuMs }) => [pid, cpuMs]));
    this.#timer = setInterval(() => {
      const sampled = this.#sample();
      if (++this.#samples % PSS_EVERY === 0) this.#samplePss(sampled.map(({ pid }) => pid));
    }, SAMPLE_MS);
  }

  stop(): ServerUse {
    clearInterval(this.#timer);
    const cpuMs = Object.fromEntries(this.groups.map(({ name }) => [name, 0]));
    let apartCpuMs = 0;
    const last = this.#sample();
    for (const process of last) {
      // A process that began meanwhile counts from its beginning.
      const used = process.cpuMs - (this.#before.get(process.pid) ?? 0);
      if (APART.test(commandLineOf(process.pid))) apartCpuMs += used;
      else cpuMs[process.group] = (cpuMs[process.group] ?? 0) + used;
    }
    this.#samplePss(last.map(({ pid }) => pid));
    return { cpuMs, apartCpuMs, ...this.#peak, pssBytes: this.#pssBytes };
  }

  #samplePss(pids: readonly number[]): void {
    const found = pids.flatMap((pid) => proportionalBytesOf(pid) ?? []);
    if (found.length === 0) return;
    const sum = found.reduce((total, bytes) => total + bytes, 0);
    this.#pssBytes = Math.max(this.#pssBytes ?? 0, sum);
  }

  #sample() {
    const figures = this.groups.flatMap(({ name, pids }) =>
      processTree(pids).flatMap((pid) => {
        const found = figuresOf(pid);
        return found === undefined ? [] : [{ group: name, pid, ...found }];
      }),
    );
    for (const name of ['rssBytes', 'anonymousBytes'] as const) {
      const sum = figures.reduce((total, process) => total + process[name], 0);
      this.#peak[name] = Math.max(this.#peak[name], sum);
    }
    return figures;
  }
}
