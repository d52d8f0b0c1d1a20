import type { Device } from '../../../ring/device.js';

/** Which devices are asked first: less is earlier. */
export type Affinity = (device: Pick<Device, 'region' | 'zone'>) => number;

const RULE = /^\s*r(\d+)(?:z(\d+))?\s*=\s*(\d+)\s*$/;

/**
 * Swift's `read_affinity`, such as `r1z1=100, r1=200, r2=300`: the least number is asked first, and
 * what is not named last.
 * @returns undefined when it cannot be read
 */
export function parseAffinity(text: string): Affinity | undefined {
  const ranks = new Map<string, number>();
  for (const rule of text.split(',')) {
    if (rule.trim() === '') continue;
    const [, region, zone, rank] = RULE.exec(rule) ?? [];
    if (region === undefined) return undefined;
    ranks.set(zone === undefined ? region : `${region}/${Number(zone)}`, Number(rank));
  }
  if (ranks.size === 0) return () => 0;
  return ({ region, zone }) =>
    Math.min(ranks.get(`${region}/${zone}`) ?? Infinity, ranks.get(String(region)) ?? Infinity);
}
