import { readFileSync } from 'node:fs';

/** Bytes of a process: heaps, stacks and buffers are anonymous; pages of the store's index are files. */
export interface Memory {
  readonly resident: number;
  readonly anonymous: number;
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
    const last = samples.slice(-15);
    return {
      settledBytes: median(last.map(({ resident }) => resident)),
      settledAnonymousBytes: median(last.map(({ anonymous }) => anonymous)),
      slopeBytesPerS: slope(later, 'resident'),
      anonymousSlopeBytesPerS: slope(later, 'anonymous'),
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
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) * 1024;
    const resident = bytes('VmRSS');
    return Number.isNaN(resident) ? undefined : { resident, anonymous: bytes('RssAnon') };
  } catch {
    return undefined;
  }
}
