import pino from 'pino';
import { logsToTerminal, terminalLine } from './terminal-log.js';

export type Logger = pino.Logger;

export interface LoggerOptions {
  readonly level: string;
  /** Which kind of process writes, e.g. `supervisor`. */
  readonly process: string;
  /** Number of the listener. */
  readonly worker?: number | undefined;
  /**
   * Collects lines and writes them in blocks, for processes that log each request: a write for
   * each line would cost more than the request's metrics. Written within a second, and at exit.
   */
  readonly buffered?: boolean | undefined;
  /** Given each line as well, with its line feed. */
  readonly also?: ((line: string) => void) | undefined;
}

const STDERR = 2;

/** A log whose reader is stuck must not fill the memory: lines beyond this are dropped. */
const BUFFER_BYTES_MAX = 4 * 1024 * 1024;

const BUFFERED = { sync: false, minLength: 4096, periodicFlush: 1000 };

/** Keys whose values never reach the log, at the top of a line or one object down. */
const SECRET_KEYS = [
  'secretKey',
  'secret_key',
  'secretAccessKey',
  'signature',
  'authorization',
  'cookie',
  'token',
  'password',
];

/**
 * JSON lines on stderr with ISO time stamps; secrets are masked by key. A terminal gets lines to read
 * instead: warnings and errors, and below `info` whatever the level asks for.
 */
export function createLogger(options: LoggerOptions): Logger {
  const writing = options.buffered === true ? BUFFERED : { sync: true };
  const stderr = pino.destination({ dest: STDERR, maxLength: BUFFER_BYTES_MAX, ...writing });
  // A full disk under the log, or a terminal that was closed, must end no transfer: lines are lost.
  stderr.on('error', () => {
    // sonic-boom 4 would try again for ever at exit.
    stderr.flushSync = doNothing;
  });
  const { also } = options;
  const forTerminal = logsToTerminal();
  if (also === undefined && !forTerminal) return createLoggerTo(stderr, options);
  const write = (line: string): void => {
    const shown = forTerminal ? terminalLine(line) : line;
    if (shown !== undefined) stderr.write(shown);
    also?.(line);
  };
  return createLoggerTo({ write }, options);
}

/** Like {@link createLogger}, to any stream. */
export function createLoggerTo(
  destination: pino.DestinationStream,
  { level, process: name, worker }: LoggerOptions,
): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      base: { process: name, pid: process.pid, ...(worker === undefined ? {} : { worker }) },
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`]),
        censor: '[secret]',
      },
    },
    destination,
  );
}

function doNothing(): void {
  // There is nowhere left to say anything.
}
