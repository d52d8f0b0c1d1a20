import type { Spread } from '../measure/statistics.js';

/** Three significant digits, without exponents: `1234`, `123`, `12.3`, `1.23`. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3));
}

export function micros(value: number): string {
  return value < 1000 ? `${significant(value)} µs` : `${significant(value / 1000)} ms`;
}

export function millis(value: number): string {
  return value < 1000 ? significant(value) : `${significant(value / 1000)} s`;
}

export function mib(bytes: number): string {
  return bytes === 0 ? '-' : String(Math.round(bytes / 1024 / 1024));
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `1.23 (1.10-1.40)` */
export function ratio({ median, min, max }: Spread): string {
  return `${significant(median)} (${significant(min)}-${significant(max)})`;
}
