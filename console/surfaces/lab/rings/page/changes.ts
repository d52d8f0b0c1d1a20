import { bytesText } from '../../../../ui/dom.js';
import {
  card,
  facts,
  numbers,
  numberText,
  pctText,
  percentText,
  tableOf,
} from '../../page/ground.js';
import type { WhatIfReport } from '../ring-changes.js';

/** The differences between two rings: of a comparison, and of a change that is tried. */

/** @param storedBytes what lies on all devices of the ring */
export function changeReport(report: WhatIfReport, storedBytes: number) {
  const { before, after } = report;
  const slots = report.moved_ratio === 0 ? 0 : report.moved / report.moved_ratio;
  // Partitions are taken to be of one size.
  const bytesOf = (parts: number) => (slots === 0 ? 0 : (storedBytes * parts) / slots);
  const arrow = (one: number, other: number) => `${numberText(one)}% → ${numberText(other)}%`;
  const changed = report.devices.filter(
    (device) =>
      device.parts_before !== device.parts_after || device.weight_before !== device.weight_after,
  );
  return [
    card(
      'Summary',
      facts(
        [
          'Replicas to move',
          numberText(report.moved),
          `${percentText(report.moved_ratio)} of all replicas`,
        ],
        [
          'Data to move',
          bytesText(Math.round(bytesOf(report.moved))),
          `assuming the ring stores ${bytesText(Math.round(storedBytes))}`,
        ],
        ['Balance', arrow(before.balance_pct, after.balance_pct)],
        ['Dispersion', arrow(before.dispersion_pct, after.dispersion_pct)],
        [
          'Required overload',
          [before, after]
            .map(({ required_overload: one }) => (one === null ? 'unknown' : percentText(one, 2)))
            .join(' → '),
        ],
      ),
    ),
    card(
      changed.length === 0 ? 'No device changes' : 'Changed devices',
      tableOf('Changed devices', changed, [
        { title: 'Device', value: (row) => row.name },
        { title: 'Weight', value: (row) => row.weight_before, number: true },
        { title: 'New weight', value: (row) => row.weight_after, number: true },
        { title: 'Partitions', value: (row) => row.parts_before, number: true },
        { title: 'New partitions', value: (row) => row.parts_after, number: true },
        numbers('Difference', (row) => row.parts_after - row.parts_before, signed),
        numbers(
          'Data moved',
          (row) => Math.round(bytesOf(row.parts_after - row.parts_before)),
          signedBytes,
        ),
        numbers('New balance', (row) => row.balance_after_pct, pctText),
      ]),
    ),
  ];
}

function signed(value: number) {
  return value > 0 ? `+${value}` : String(value);
}

function signedBytes(bytes: number) {
  return `${bytes < 0 ? '−' : bytes > 0 ? '+' : ''}${bytesText(Math.abs(bytes))}`;
}
