import { bytesText } from '../../../ui/dom.js';
import type { Unit } from '../panels/panel.js';

/** Figures as people read them. What is not known is `null`, and is never shown as a number. */

const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

const number = (value: number) => (Math.abs(value) >= 1000 ? WHOLE : NUMBER).format(value);

function bytes(value: number): [number: string, unit: string] {
  const [size = '', unit = ''] = bytesText(
    Math.abs(value) < 1024 ? Number(value.toPrecision(3)) : value,
  ).split(' ');
  return [size, unit];
}

function seconds(value: number): [number: string, unit: string] {
  const size = Math.abs(value);
  if (size === 0) return ['0', 's'];
  if (size < 0.001) return [number(value * 1e6), 'µs'];
  if (size < 1) return [number(value * 1000), 'ms'];
  if (size < 120) return [number(value), 's'];
  if (size < 7200) return [number(value / 60), 'min'];
  if (size < 172_800) return [number(value / 3600), 'h'];
  return [number(value / 86_400), 'days'];
}

const FORMATS: Record<Unit, (value: number) => [number: string, unit: string]> = {
  count: (value) => [number(value), ''],
  per_s: (value) => [number(value), '/s'],
  ratio: (value) => [number(value * 100), '%'],
  s: seconds,
  bytes,
  bytes_per_s: (value) => {
    const [size, unit] = bytes(value);
    return [size, `${unit}/s`];
  },
  s_per_s: (value) => [number(value), 's/s'],
};

/** @returns the number and its unit, apart, so that they can be set in different sizes */
export function parts(value: number, unit: Unit) {
  return FORMATS[unit](value);
}

export function figure(value: number | null | undefined, unit: Unit) {
  if (value === null || value === undefined) return 'unknown';
  return parts(value, unit)
    .join(unit === 'ratio' ? '' : ' ')
    .trim();
}
