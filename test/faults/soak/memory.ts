import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a process: heaps, stacks and buffers are anonymous; pages of the store's index are files. */
export interface Memory {
  readonly resident: number;
  readonly anonymous: number;
  readonly descriptors: number;
  readonly threads: number;
}

interface Sample extends Memory {
  readonly atS: number;
}

export interface MemoryFigures {
  /** The middle one of the last samples: what it came to. */
  readonly settledBytes: number;
  readonly settledAnonymousBytes: number;
  /** Of the second half of the samples: in the first, heaps and caches fill. */
  readonly slopeBytesPerS: number;
  readonly anonymousSlopeBytesPerS: number;
  /** The middle ones of samples half-way, when the store's folders are open, and of the last. */
  readonly descriptors: readonly [halfWay: number, last: number];
  readonly threads: readonly [halfWay: number, last: number];
  /** MiB that were resident at each full minute. */
  readonly residentMibByMinute: readonly number[];
}

/** Resident memory of processes over their lives. */
export class MemoryWatch {
  readonly #samples = new Map<number, Sample[]>();

  sample(pid: number, atS: number): void {
    const memory = readMemory(pid);
    if (memory === undefined) return;
    const samples = this.#samples.get(pid) ?? [];
    samples.push({ atS, ...memory });
    this.#samples.set(pid, samples);
  }

  get peakBytes(): number {
    return Math.max(0, ...[...this.#samples.values()].flat().map(({ resident }) => resident));
  }

  figuresOf(pid: number): MemoryFigures {
    const samples = this.#samples.get(pid) ?? [];
    const later = samples.slice(Math.floor(samples.length / 2));
    const [halfWay, last] = [later.slice(0, 15), samples.slice(-15)];
    const both = (of: 'descriptors' | 'threads'): readonly [number, number] => [
      median(halfWay.map((sample) => sample[of])),
      median(last.map((sample) => sample[of])),
    ];
    const minutes = samples.filter(
      ({ atS }, at) => Math.floor(atS / 60) > Math.floor((samples[at - 1]?.atS ?? 0) / 60),
    );
    return {
      settledBytes: median(last.map(({ resident }) => resident)),
      settledAnonymousBytes: median(last.map(({ anonymous }) => anonymous)),
      slopeBytesPerS: slope(later, 'resident'),
      anonymousSlopeBytesPerS: slope(later, 'anonymous'),
      descriptors: both('descriptors'),
      threads: both('threads'),
      residentMibByMinute: minutes.map(({ resident }) => Math.round(resident / 2 ** 20)),
    };
  }
}

/** By least squares. */
function slope(samples: readonly Sample[], of: keyof Memory): number {
  if (samples.length < 2) return 0;
  const meanAt = mean(samples.map(({ atS }) => atS));
  const meanBytes = mean(samples.map((sample) => sample[of]));
  let covariance = 0;
  let variance = 0;
  for (const sample of samples) {
    covariance += (sample.atS - meanAt) * (sample[of] - meanBytes);
    variance += (sample.atS - meanAt) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** undefined: the process has ended. */
function readMemory(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const count = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
    const resident = count('VmRSS') * 1024;
    if (Number.isNaN(resident)) return undefined;
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return { resident, anonymous: count('RssAnon') * 1024, descriptors, threads: count('Threads') };
  } catch {
    return undefined;
  }
}
