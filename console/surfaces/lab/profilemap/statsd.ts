import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { ListenAddress } from '../../../../src/config/options.js';
import type { Timer, Timers } from './timers.js';

/** Upper bounds in milliseconds: from a read out of the page cache to Swift's `node_timeout`. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000];
/** Names that are kept; Swift has some dozens that are read here. */
const NAMES_MAX = 500;
const LINE_LENGTH_MAX = 512;
/** A day: no call of a server takes longer, and sums stay numbers. */
const MS_MAX = 86_400_000;
/** Lowest sample rate: less is none that an operator sets. */
const SHARE_LEAST = 1e-6;

/**
 * Servers of Swift whose timers are read. What stands before is the operator's
 * `log_statsd_metric_prefix`.
 */
const TIMER =
  /(?:^|\.)((?:proxy-server|account-server|container-server|object-server|object-replicator|object-reconstructor|object-updater)\.[A-Za-z0-9_.-]{1,100})$/;
/** `object-server.PUT.d1.timing` is not a time but a time for each kilobyte (obj/server.py). */
const PER_KILOBYTE = /^object-server\.[A-Z]+\..+\.timing$/;

interface Counted {
  count: number;
  sumMs: number;
  /** Observations of each bucket alone. */
  readonly own: Float64Array;
}

/**
 * Takes the timers that servers of Swift send to `statsd_listen`, over UDP. What it keeps is
 * bounded, whatever comes: lines that are no timers of Swift are counted and dropped.
 */
export class StatsdListener {
  readonly #timers = new Map<string, Counted>();
  #socket: Socket | undefined;
  #lastMs: number | undefined;
  /** Why it does not listen. */
  #problem: string | undefined;

  constructor(
    private readonly address: ListenAddress,
    private readonly now: () => number,
  ) {}

  /** Listens; where it cannot, {@link state} says why. @returns the port */
  async listen(): Promise<number | undefined> {
    if (this.#socket !== undefined) return this.#socket.address().port;
    const { host, port } = this.address;
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', (message) => {
      this.take(message.toString('latin1'));
    });
    try {
      socket.bind({ address: host, port, exclusive: true });
      await once(socket, 'listening');
    } catch (error) {
      this.#problem = (error as NodeJS.ErrnoException).code ?? 'unknown';
      socket.close();
      return undefined;
    }
    socket.on('error', () => {
      // One message that could not be read; the others come.
    });
    socket.unref();
    this.#socket = socket;
    return socket.address().port;
  }

  get state(): { readonly lastMs: number | undefined; readonly problem: string | undefined } {
    return { lastMs: this.#lastMs, problem: this.#problem };
  }

  /** @param packet - lines `name:value|ms|@rate` */
  take(packet: string): void {
    for (const line of packet.split('\n')) {
      if (line.length > LINE_LENGTH_MAX) continue;
      const [name = '', rest = ''] = line.split(':', 2);
      const [value = '', type, rate = '@1'] = rest.split('|');
      const [, known] = TIMER.exec(name) ?? [];
      const ms = Number(value);
      const share = Number(rate.slice(1));
      if (type !== 'ms' || known === undefined || PER_KILOBYTE.test(known)) continue;
      if (value === '' || !(ms >= 0 && ms <= MS_MAX)) continue;
      if (!(share >= SHARE_LEAST && share <= 1)) continue;
      this.#count(known.replace(/\.timing$/, ''), ms, 1 / share);
    }
  }

  timers(): Timers {
    return new Map([...this.#timers].map(([name, counted]) => [`swift.${name}`, timerOf(counted)]));
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #count(name: string, ms: number, times: number): void {
    let timer = this.#timers.get(name);
    if (timer === undefined) {
      if (this.#timers.size >= NAMES_MAX) return;
      timer = { count: 0, sumMs: 0, own: new Float64Array(BOUNDS_MS.length + 1) };
      this.#timers.set(name, timer);
    }
    this.#lastMs = this.now();
    timer.count += times;
    timer.sumMs += times * ms;
    const found = BOUNDS_MS.findIndex((bound) => ms <= bound);
    const bucket = found === -1 ? BOUNDS_MS.length : found;
    timer.own[bucket] = (timer.own[bucket] ?? 0) + times;
  }
}

function timerOf({ count, sumMs, own }: Counted): Timer {
  let below = 0;
  const buckets = [...BOUNDS_MS, Infinity].map((le, index) => {
    below += own[index] ?? 0;
    return { le, count: below };
  });
  return { count, sumMs, buckets };
}
