import { UNSYNCHRONISED, type ClockReading, type ClockSource } from './reading.js';
import { runProgram, type RunProgram } from './run-program.js';

/**
 * What chronyd knows of the clock, by `chronyc -c -n tracking` (chronyc(1)). It asks over the
 * socket or over UDP on the loopback, so that any user may; `-n` keeps DNS out of it. One line:
 *
 *     7F000001,127.0.0.1,9,1795183341.794994177,-0.000002133,…,0.000008734,0.000018982,0.3,Normal
 */

/** Positions in the line, which has this many fields since chrony 3. */
const FIELDS = 14;
const REFERENCE_ID = 0;
const SYSTEM_TIME_S = 4;
const ROOT_DELAY_S = 10;
const ROOT_DISPERSION_S = 11;
const LEAP_STATUS = 13;

/** 127.127.1.1 is the clock itself (directive `local`): it is never wrong in its own eyes. */
const NO_REFERENCES: ReadonlySet<string> = new Set(['00000000', '7F7F0101']);

const NOT_SYNCHRONISED = 'Not synchronised';
const LEAP_STATUSES: ReadonlySet<string> = new Set([
  'Normal',
  'Insert second',
  'Delete second',
  NOT_SYNCHRONISED,
]);

const SECONDS = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const MS_PER_SECOND = 1000;

/** @throws Error for what is no such line: unknown, and so not to be trusted */
export function parseTracking(output: string): ClockReading {
  const fields = output.trim().split(',');
  const reference = fields[REFERENCE_ID] ?? '';
  const leapStatus = fields[LEAP_STATUS] ?? '';
  if (fields.length !== FIELDS || !LEAP_STATUSES.has(leapStatus)) {
    throw new Error(`chronyc answered ${JSON.stringify(output.slice(0, 200))}`);
  }
  if (leapStatus === NOT_SYNCHRONISED || NO_REFERENCES.has(reference)) return UNSYNCHRONISED;
  // chronyc(1): |system_time_offset| + root_dispersion + (0.5 * root_delay) bounds the clock's error.
  return {
    offsetMs: milliseconds(fields[SYSTEM_TIME_S]),
    uncertaintyMs:
      milliseconds(fields[ROOT_DISPERSION_S]) + Math.abs(milliseconds(fields[ROOT_DELAY_S])) / 2,
  };
}

export function chronySource(run: RunProgram = runProgram): ClockSource {
  return {
    name: 'chrony',
    read: async () => parseTracking(await run('chronyc', ['-c', '-n', 'tracking'])),
  };
}

function milliseconds(field = ''): number {
  if (!SECONDS.test(field)) throw new Error(`chronyc gave ${JSON.stringify(field)} for seconds`);
  return Number(field) * MS_PER_SECOND;
}
