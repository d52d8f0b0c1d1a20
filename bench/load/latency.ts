import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

/** Ten minutes: more than any request may take. */
const MICROS_MAX = 600_000_000;

export type LatencyHistogram = Histogram;

/** A histogram of microseconds, exact to three digits. */
export function newHistogram(): LatencyHistogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MICROS_MAX,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
  });
}

export function record(histogram: LatencyHistogram, ms: number): void {
  histogram.recordValue(Math.min(MICROS_MAX, Math.max(1, Math.round(ms * 1000))));
}

export function encode(histogram: LatencyHistogram): string {
  return encodeIntoCompressedBase64(histogram);
}

/** All that was recorded in any of them. */
export function merge(encoded: readonly string[]): LatencyHistogram {
  const merged = newHistogram();
  for (const text of encoded) merged.add(decodeFromCompressedBase64(text, 32));
  return merged;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** The percentiles in milliseconds. */
export function percentilesOf(histogram: LatencyHistogram): Percentiles {
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return { p50: at(50), p95: at(95), p99: at(99), p999: at(99.9), max: histogram.maxValue / 1000 };
}
