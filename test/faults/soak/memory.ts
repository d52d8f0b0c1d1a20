import { readFileSync } from 'node:fs';

interface Sample {
  readonly atS: number;
  readonly bytes: number;
}

/** Resident memory of processes over their lives. */
export class MemoryWatch {
  readonly #samples = new Map<number, Sample[]>();

  sample(pid: number, atS: number): void {
    const bytes = residentBytes(pid);
    if (bytes === undefined) return;
    const samples = this.#samples.get(pid) ?? [];
    samples.push({ atS, bytes });
    this.#samples.set(pid, samples);
  }

  get peakBytes(): number {
    return Math.max(0, ...[...this.#samples.values()].flat().map(({ bytes }) => bytes));
  }

  /** Of the second half of a process's samples: in the first, heaps and caches fill. */
  slopeBytesPerS(pid: number): number {
    const samples = this.#samples.get(pid) ?? [];
    return slope(samples.slice(Math.floor(samples.length / 2)));
  }

  /** The middle one of the last samples: what it came to. */
  settledBytes(pid: number): number {
    const last = (this.#samples.get(pid) ?? []).slice(-15).map(({ bytes }) => bytes);
    return last.sort((a, b) => a - b)[Math.floor(last.length / 2)] ?? 0;
  }
}

/** By least squares. */
function slope(samples: readonly Sample[]): number {
  if (samples.length < 2) return 0;
  const meanAt = mean(samples.map(({ atS }) => atS));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  let covariance = 0;
  let variance = 0;
  for (const { atS, bytes } of samples) {
    covariance += (atS - meanAt) * (bytes - meanBytes);
    variance += (atS - meanAt) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** undefined: the process has ended. */
function residentBytes(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
