import { closeSync, openSync } from 'node:fs';
import pino from 'pino';

/** One request that is over, as its line says it; times in milliseconds. */
export interface AccessEntry {
  /** ISO 8601, when the request began. */
  readonly time: string;
  readonly request_id: string;
  /** The client's address: what trusted proxies say of it, or the peer. */
  readonly remote: string;
  /** The access key; null for requests that were not let in, and for unsigned ones. */
  readonly requester: string | null;
  readonly account: string | null;
  readonly bucket: string | null;
  readonly key: string | null;
  readonly operation: string;
  readonly method: string;
  /** The status that was sent; 499 where the client left before. */
  readonly status: number;
  readonly error_code: string | null;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly total_ms: number;
  /** Null when nothing was sent. */
  readonly ttfb_ms: number | null;
  /** Milliseconds in which the request waited for the backend and for nothing else. */
  readonly backend_ms: number;
  /** Milliseconds that the request waited for admission. */
  readonly wait_ms: number;
  readonly aborted_by: 'client' | 'backend' | 'gateway' | null;
  readonly listener: number;
  readonly user_agent: string | null;
}

/** Lines that cannot be written are lost beyond this, rather than fill the memory. */
const BUFFER_BYTES_MAX = 8 * 1024 * 1024;
/** Written in blocks: a write for each line would cost more than the request. */
const BLOCK_BYTES = 16 * 1024;
const FLUSH_INTERVAL_MS = 1000;
/** Keys are what clients call them: a file for the operator and his group. */
const FILE_MODE = 0o640;

const USER_AGENT_MAX = 256;

/**
 * Secrets that clients put into a key or into their own name by mistake, such as a presigned URL
 * whose `?` was encoded once more.
 */
const SECRETS = /((?:x-amz-|[?&])?(?:signature|security-token|auth-token|temp_url_sig)=)[^&\s]+/gi;
const MASK = '$1[secret]';

export interface AccessLogOptions {
  readonly file: string;
  /** A line was dropped since the file cannot be written. */
  readonly onDrop: () => void;
  /** The file cannot be written; told once until it can be again. */
  readonly onError: (error: Error) => void;
}

/** A file with a JSON line a request. Any number of processes append to the same file. */
export class AccessLog {
  readonly #file: ReturnType<typeof pino.destination>;
  #isBroken = false;

  /** @throws NodeJS.ErrnoException when the file cannot be opened */
  constructor(options: AccessLogOptions) {
    const { file, onDrop, onError } = options;
    // Now, and not by an event: a service that cannot keep its log is not to start.
    closeSync(openSync(file, 'a', FILE_MODE));
    this.#file = pino.destination({
      dest: file,
      append: true,
      sync: false,
      mode: FILE_MODE,
      minLength: BLOCK_BYTES,
      maxWrite: BLOCK_BYTES * 4,
      maxLength: BUFFER_BYTES_MAX,
      periodicFlush: FLUSH_INTERVAL_MS,
    });
    // pino's own listener ends all writing for good at EPIPE, uncounted: a pipe's reader comes back.
    this.#file.removeAllListeners('error');
    this.#file.on('drop', onDrop);
    const flushAtExit = this.#file.flushSync.bind(this.#file);
    this.#file.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#isBroken) onError(error);
      this.#isBroken = true;
      // sonic-boom 4 would try again for ever at exit, and the process would never end.
      this.#file.flushSync = doNothing;
      // A reopening that failed left one, which would close the former file with the next, too.
      if (error.syscall === 'open') this.#file.removeAllListeners('ready');
    });
    this.#file.on('write', () => {
      this.#isBroken = false;
      this.#file.flushSync = flushAtExit;
    });
  }

  write(entry: AccessEntry): void {
    this.#file.write(accessLine(entry));
  }

  /** Goes on with a new file of the same name, when the old one was renamed. */
  reopen(): void {
    this.#file.reopen();
  }

  /** Resolves when all lines are written, as far as they can be. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#file.once('close', resolve);
      this.#file.once('error', () => {
        resolve();
      });
      this.#file.end();
    });
  }
}

/** A line of the access log, with its line feed. */
export function accessLine(entry: AccessEntry): string {
  return `${JSON.stringify(withoutSecrets(entry))}\n`;
}

/** An entry as it may be shown: without secrets that clients put into names by mistake. */
export function withoutSecrets(entry: AccessEntry): AccessEntry {
  const { key, user_agent: agent } = entry;
  return { ...entry, key: masked(key), user_agent: shownUserAgent(agent) };
}

/** The part of a User-Agent header that may be shown: its first characters, without secrets. */
export function shownUserAgent(agent: string | null): string | null {
  return masked(agent, USER_AGENT_MAX);
}

function masked(text: string | null, max = Infinity): string | null {
  if (text === null) return null;
  const short = text.length > max ? text.slice(0, max) : text;
  return short.includes('=') ? short.replace(SECRETS, MASK) : short;
}

function doNothing(): void {
  // A line that cannot be written is lost.
}
