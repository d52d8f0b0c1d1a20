import { UNSYNCHRONISED, type ClockReading, type ClockSource } from './reading.js';
import { runProgram, type RunProgram } from './run-program.js';

/**
 * What the kernel knows of the clock: adjtimex(2), which any user may read, and which tells of
 * whatever keeps the clock (systemd-timesyncd, ntpd, chronyd, PTP), also from within a container,
 * where no daemon can be asked. Node has no such call. `perl-base` has: it is essential on Debian,
 * so that no system is without it, and alone can make a system call by its number.
 */

/** Of adjtimex, by `process.arch`; both have the same `struct timex`. */
const SYSTEM_CALLS: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  x64: 159,
  arm64: 171,
};

/**
 * `modes` is 0: it changes nothing. Of the 208 bytes it prints `offset`, `maxerror` and `status`.
 */
const PROGRAM = [
  'my $timex = "\\0" x 208;',
  'syscall($ARGV[0] + 0, $timex) >= 0 or die "adjtimex: $!\\n";',
  'print join(" ", unpack("x8 q x8 q x8 l", $timex)), "\\n";',
].join(' ');

/** `offset` is in nanoseconds, not in microseconds. */
const STA_NANO = 0x2000;

/**
 * Microseconds, NTP_PHASE_LIMIT: the kernel lets `maxerror` grow by 500 µs a second when nobody
 * lowers it, and ends here. systemd judges by it too, rather than by STA_UNSYNC, which chronyd
 * leaves set when it is not to touch the hardware clock.
 */
const MAX_ERROR_LIMIT_US = 16_000_000;

const OUTPUT = /^(-?\d{1,15}) (\d{1,15}) (\d{1,15})\n$/;
const US_PER_MS = 1000;
const NS_PER_MS = 1_000_000;

/** @param output - of {@link PROGRAM}. @throws Error for anything else */
export function parseTimex(output: string): ClockReading {
  const match = OUTPUT.exec(output);
  if (match === null) throw new Error(`perl answered ${JSON.stringify(output.slice(0, 200))}`);
  const [offset = 0, maxErrorUs = 0, status = 0] = match.slice(1).map(Number);
  if (maxErrorUs >= MAX_ERROR_LIMIT_US) return UNSYNCHRONISED;
  const unitsPerMs = (status & STA_NANO) === 0 ? US_PER_MS : NS_PER_MS;
  // What is left of a correction that is under way, and what the last one may have missed.
  return { offsetMs: offset / unitsPerMs, uncertaintyMs: maxErrorUs / US_PER_MS };
}

export function kernelSource(
  run: RunProgram = runProgram,
  arch: NodeJS.Architecture = process.arch,
): ClockSource {
  return {
    name: 'kernel',
    read: async () => {
      const systemCall = SYSTEM_CALLS[arch];
      if (systemCall === undefined) throw new Error(`adjtimex has no known number on ${arch}`);
      return parseTimex(await run('perl', ['-e', PROGRAM, String(systemCall)]));
    },
  };
}
