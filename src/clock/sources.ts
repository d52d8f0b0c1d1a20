import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ClockReading, type ClockSource, UNSYNCHRONISED } from './reading.js';

/** The longest wait for a program that tells of the clock; they answer in some milliseconds. */
const TIMEOUT_MS = 2_000;
const OUTPUT_BYTES_MAX = 16 * 1024;

/** Runs a program; gives what it wrote to its standard output. */
type RunProgram = (name: string, args: readonly string[]) => Promise<string>;

const execute = promisify(execFile);

/**
 * Runs a program without a shell, in the C locale, for {@link TIMEOUT_MS} at most.
 * @throws Error when it cannot be run, fails, takes too long or writes too much
 */
export const runProgram: RunProgram = async (name, args) => {
  const { stdout } = await execute(name, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  return stdout;
};

/** An HTTP date has whole seconds, cut off: the peer's clock was at it, or up to this much behind. */
const RESOLUTION_MS = 1000;

/** Older ones are forgotten: the clock may have gone anywhere since. */
const AGE_MS_MAX = 30_000;

interface Observation {
  readonly reading: ClockReading;
  /** The moment of the reading, by the clock that never jumps. */
  readonly at: number;
}

/**
 * This node's clock by the `Date` of a backend's answers: somewhere between the request and the
 * answer, the peer's clock was within that second.
 */
export class PeerDate implements ClockSource {
  readonly name = 'backend';
  #last: Observation | undefined;

  constructor(private readonly monotonic: () => number = () => performance.now()) {}

  /**
   * Takes the `Date` of an answer; cheap enough for every answer. All arguments are milliseconds
   * since the epoch; `sentAt` and `receivedAt` are from this node's clock.
   */
  observe(date: number, sentAt: number, receivedAt: number): void {
    // The clock was set back meanwhile: nothing can be said.
    if (receivedAt < sentAt) return;
    const reading = {
      offsetMs: (sentAt + receivedAt) / 2 - (date + RESOLUTION_MS / 2),
      uncertaintyMs: (receivedAt - sentAt + RESOLUTION_MS) / 2,
    };
    this.#last = { reading, at: this.monotonic() };
  }

  /** @throws Error when nothing was observed lately */
  read(): Promise<ClockReading> {
    const last = this.#last;
    if (last === undefined || this.monotonic() - last.at > AGE_MS_MAX) {
      return Promise.reject(new Error('no answer with a Date lately'));
    }
    return Promise.resolve(last.reading);
  }
}

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

/**
 * The clock as chronyd knows it, by `chronyc -c -n tracking` (chronyc(1)). It asks over the socket
 * or over UDP on the loopback, so that any user may; `-n` keeps DNS out of it. One line:
 *
 *     7F000001,127.0.0.1,9,1795183341.794994177,-0.000002133,…,0.000008734,0.000018982,0.3,Normal
 *
 * @throws Error for what is no such line: unknown, and so not to be trusted
 */
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

/**
 * The system call number of adjtimex, by `process.arch`; both architectures have the same `struct
 * timex`.
 */
const SYSTEM_CALLS: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  x64: 159,
  arm64: 171,
};

/**
 * `modes` is 0: it changes nothing. It prints, from the 208 bytes, `offset`, `maxerror` and
 * `status`.
 */
const PROGRAM = [
  'my $timex = "\\0" x 208;',
  'syscall($ARGV[0] + 0, $timex) >= 0 or die "adjtimex: $!\\n";',
  'print join(" ", unpack("x8 q x8 q x8 l", $timex)), "\\n";',
].join(' ');

/** `offset` is in nanoseconds, not in microseconds. */
const STA_NANO = 0x2000;

/**
 * Microseconds, NTP_PHASE_LIMIT: the kernel lets `maxerror` grow by 500 µs a second until a daemon
 * lowers it, up to this value. systemd judges by it too, rather than by STA_UNSYNC, which chronyd
 * leaves set when it is not to touch the hardware clock.
 */
const MAX_ERROR_LIMIT_US = 16_000_000;

const OUTPUT = /^(-?\d{1,15}) (\d{1,15}) (\d{1,15})\n$/;
const US_PER_MS = 1000;
const NS_PER_MS = 1_000_000;

/**
 * The clock as the kernel knows it: adjtimex(2), which any user may read, and which covers every
 * keeper of the clock (systemd-timesyncd, ntpd, chronyd, PTP), also from within a container, where
 * no daemon can be asked. Node has no such call. `perl-base` has: it is essential on Debian, so
 * that no system is without it, and alone can make a system call by its number.
 *
 * @param output - of {@link PROGRAM}. @throws Error for anything else
 */
export function parseTimex(output: string): ClockReading {
  const match = OUTPUT.exec(output);
  if (match === null) throw new Error(`perl answered ${JSON.stringify(output.slice(0, 200))}`);
  const [offset = 0, maxErrorUs = 0, status = 0] = match.slice(1).map(Number);
  if (maxErrorUs >= MAX_ERROR_LIMIT_US) return UNSYNCHRONISED;
  const unitsPerMs = (status & STA_NANO) === 0 ? US_PER_MS : NS_PER_MS;
  // The rest of a correction under way, and the error that the last one may have missed.
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
