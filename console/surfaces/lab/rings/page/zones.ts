import { ChartFigure } from '../../../../ui/charts/figure.js';
import { sunburst } from '../../../../ui/charts/sunburst.js';
import { note, numberText, pctText } from '../../page/ground.js';
import type { DeviceRow, RingReport } from '../ring-report.js';
import type { Part } from '../../../../ui/charts/sunburst.js';

/** By how many per cent of its share a part has the strongest colour. */
const STRONG_PCT = 10;

/**
 * Regions, zones, servers and devices, from the middle outwards: as wide as the partitions that they
 * have, coloured by how far that is from their weight.
 */
export function zonesPanel({ devices }: RingReport) {
  const levels: readonly ((device: DeviceRow) => string)[] = [
    ({ region }) => `region ${region}`,
    ({ zone }) => `zone ${zone}`,
    ({ ip }) => ip,
    ({ device }) => device,
  ];
  const chart = sunburst({
    root: partOf('all devices', devices, levels),
    format: (value) => `${numberText(value)} replicas`,
    titles: ['Item', 'Replicas', 'Balance'],
    low: `−${STRONG_PCT}% vs. its share`,
    high: `+${STRONG_PCT}% vs. its share`,
  });
  return [
    new ChartFigure('Regions, zones, servers and devices', chart).element,
    note(
      'From the center outward: regions, zones, servers, devices. The width shows the number of partition replicas.',
    ),
  ];
}

/** @param levels below it */
function partOf(
  name: string,
  devices: readonly DeviceRow[],
  [level, ...rest]: readonly ((device: DeviceRow) => string)[],
): Part {
  const value = devices.reduce((sum, { parts }) => sum + parts, 0);
  const wanted = devices.reduce((sum, { wanted_parts: share }) => sum + share, 0);
  const pct = wanted === 0 ? (value === 0 ? 0 : 999.99) : 100 * (value / wanted - 1);
  const made = { name, value, far: pct / STRONG_PCT, note: pctText(pct) };
  if (level === undefined) return made;
  const groups = new Map<string, DeviceRow[]>();
  for (const device of devices) {
    const key = level(device);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [device]);
    else group.push(device);
  }
  const sorted = [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return { ...made, children: sorted.map(([key, group]) => partOf(key, group, rest)) };
}
