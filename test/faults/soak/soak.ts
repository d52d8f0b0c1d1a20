import { setTimeout as pause } from 'node:timers/promises';
import { SeededRandom } from '../../fuzz/random.js';
import { eventually } from '../../support/eventually.js';
import { janitorOnce } from '../../integration/janitor-once.js';
import { ringway } from '../../support/ringway.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { CounterWatch } from './counters.js';
import { MemoryWatch, type MemoryFigures } from './memory.js';
import { SoakWorker } from './worker.js';

const RESTARTS = 'ringway_listener_restarts_total';

const FILL_EVERY_S = 120;
const FULL_MS = 5000;

/** A device that only the service and the test write to. */
export interface SmallDevice {
  readonly dataDir: string;
  fill(): { remove(): void };
}

export interface SoakOptions {
  readonly seconds: number;
  readonly listeners: number;
  readonly workers: number;
  /** Between two kills of a listener, on average; undefined: none is killed. */
  readonly secondsPerKill: number | undefined;
  /** So often the service is reloaded, `ringway janitor --once` is run beside, and a listener killed. */
  readonly rounds?: number;
  /** The device of the data directory: others fill it for five seconds every two minutes. */
  readonly device?: SmallDevice;
  /** Each worker rests for so long after an operation. */
  readonly restMs: number;
  readonly seed: number;
}

export interface SoakFigures {
  readonly seconds: number;
  readonly operations: number;
  readonly unclear: number;
  readonly kills: number;
  readonly reloads: number;
  readonly janitors: number;
  /** How often the device was full. */
  readonly fills: number;
  readonly scrapes: number;
  readonly counterProblems: readonly string[];
  /** Of listeners, by reason. */
  readonly restarts: Record<string, number>;
  readonly rssPeakBytes: number;
  /** Of those that nobody killed. */
  readonly processes: readonly ProcessFigures[];
}

export interface ProcessFigures extends MemoryFigures {
  /** `supervisor`, or the kind of a child. */
  readonly kind: string;
  readonly pid: number;
}

interface Child {
  readonly kind: string;
  /** null while it waits to be started again. */
  readonly pid: number | null;
  readonly state: string;
}

/**
 * Mixed load on the real service, while all listeners but the first are killed at random; that one
 * lives on, so that its memory can be looked at.
 */
export async function soak(options: SoakOptions): Promise<SoakFigures> {
  const service = await startService({
    listeners: options.listeners,
    ...(options.device === undefined ? {} : { dataDir: options.device.dataDir }),
    config: {
      log_level: 'error',
      restart_backoff_ms_min: 1,
      restart_backoff_ms_max: 1,
      restart_limit: 1000,
      // Beside `ringway janitor --once`, which would find its lease taken.
      ...(options.rounds === undefined ? {} : { janitor_interval_ms: 0 }),
      probe_interval_ms: 500,
      segment_grace_ms: 1000,
      // A machine that is busy with others is no reason to restart a listener.
      listener_start_timeout_ms: 120_000,
    },
  });
  try {
    return await new Soak(service, options).run();
  } finally {
    await service.kill9();
  }
}

class Soak {
  readonly #counters = new CounterWatch();
  readonly #memory = new MemoryWatch();
  readonly #random: SeededRandom;
  readonly #startedAt = performance.now();
  #kills = 0;
  #reloads = 0;
  #janitors = 0;
  #fills = 0;
  #isThrough = false;
  #failed = false;

  constructor(
    private readonly service: Service,
    private readonly options: SoakOptions,
  ) {
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<SoakFigures> {
    await this.#makeBuckets();
    const atStart = await this.#living();
    const survivor = atStart.find(({ kind }) => kind === 'listener');
    if (survivor === undefined) throw new Error('there is no listener');
    const workers = Array.from({ length: this.options.workers }, (_, n) => {
      const bucket = n % 2 === 0 ? 'soak-plain' : 'soak-versions';
      return new SoakWorker(this.service, `worker-${n}`, bucket, this.options.seed + n);
    });
    const running = workers.map((worker) => this.#work(worker));
    const disturbing =
      this.options.rounds === undefined ? this.#kill(survivor.pid) : this.#rounds();
    await this.#untilFirstFailure([...running, this.#watch(), disturbing, this.#fill()]);
    const seconds = this.#elapsedS;
    await this.#settle();
    for (const worker of workers) {
      await worker.verify();
      await worker.close();
    }
    const restarts = this.#counters.byLabel(RESTARTS);
    const atEnd = new Set((await this.#living()).map(({ pid }) => pid));
    const lived = atStart.filter(({ pid }) => atEnd.has(pid));
    return {
      seconds,
      operations: sum(workers.map(({ operations }) => operations)),
      unclear: sum(workers.map(({ unclear }) => unclear)),
      kills: this.#kills,
      reloads: this.#reloads,
      janitors: this.#janitors,
      fills: this.#fills,
      scrapes: this.#counters.scrapes,
      counterProblems: this.#counters.problems,
      restarts,
      rssPeakBytes: this.#memory.peakBytes,
      processes: lived.map((one) => ({ ...one, ...this.#memory.figuresOf(one.pid) })),
    };
  }

  get #elapsedS(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  #isOver(): boolean {
    if (this.#failed || this.#isThrough) return true;
    return this.options.rounds === undefined && this.#elapsedS >= this.options.seconds;
  }

  async #makeBuckets(): Promise<void> {
    const s3 = new S3TestClient(this.service);
    await s3.put('/soak-plain');
    await s3.put('/soak-versions');
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    const { status, text } = await s3.put('/soak-versions?versioning', enabled);
    if (status !== 200) throw new Error(text);
    await s3.close();
  }

  async #work(worker: SoakWorker): Promise<void> {
    while (!this.#isOver()) {
      await worker.move();
      await pause(this.options.restMs);
    }
  }

  /** As Prometheus would, more often. */
  async #watch(): Promise<void> {
    while (!this.#isOver()) {
      await this.#scrape();
      for (const pid of [this.service.supervisorPid, ...this.service.pids()]) {
        this.#memory.sample(pid, this.#elapsedS);
      }
      await pause(500);
    }
  }

  async #scrape(): Promise<void> {
    this.#counters.scraped(await this.#admin('/metrics'));
  }

  async #kill(survivor: number): Promise<void> {
    const { secondsPerKill } = this.options;
    while (secondsPerKill !== undefined && !this.#isOver()) {
      const waitS = secondsPerKill * (0.5 + this.#random.next());
      const until = Math.min(this.#elapsedS + waitS, this.options.seconds);
      while (!this.#isOver() && this.#elapsedS < until) await pause(50);
      if (this.#isOver()) return;
      const victims = (await this.#listeners()).flatMap(({ pid, state }) =>
        pid === null || pid === survivor || state !== 'up' ? [] : [pid],
      );
      if (victims.length === 0) continue;
      process.kill(this.#random.pick(victims), 'SIGKILL');
      this.#kills += 1;
    }
  }

  async #fill(): Promise<void> {
    const { device, seconds } = this.options;
    while (device !== undefined && !this.#isOver()) {
      const until = Math.min(this.#elapsedS + FILL_EVERY_S, seconds);
      while (!this.#isOver() && this.#elapsedS < until) await pause(50);
      if (this.#isOver()) return;
      const ballast = device.fill();
      this.#fills += 1;
      await pause(FULL_MS);
      ballast.remove();
    }
  }

  /** Everything that opens the store: new listeners, restarted ones, and commands. */
  async #rounds(): Promise<void> {
    const { rounds = 0 } = this.options;
    for (let round = 0; round < rounds && !this.#failed; round++) {
      const [{ code, stderr }] = await Promise.all([
        ringway(this.service, 'reload'),
        janitorOnce(this.service),
      ]);
      if (code !== 0) throw new Error(`reload ended with ${code}: ${stderr}`);
      this.#reloads += 1;
      this.#janitors += 1;
      const up = (await this.#listeners()).flatMap(({ pid, state }) =>
        pid === null || state !== 'up' ? [] : [pid],
      );
      process.kill(this.#random.pick(up), 'SIGKILL');
      this.#kills += 1;
      await this.#settle();
    }
    this.#isThrough = true;
  }

  /** All are back, and their restarts are counted. */
  async #settle(): Promise<void> {
    await eventually(
      () => this.#listeners(),
      (listeners) => listeners.every(({ state }) => state === 'up'),
    );
    await eventually(
      async () => {
        await this.#scrape();
        return sum(Object.values(this.#counters.byLabel(RESTARTS)));
      },
      (restarts) => restarts >= this.#kills,
    );
  }

  async #listeners(): Promise<readonly Child[]> {
    return (await this.#children()).filter(({ kind }) => kind === 'listener');
  }

  async #children(): Promise<readonly Child[]> {
    const { children } = JSON.parse(await this.#admin('/statusz')) as { children: Child[] };
    return children;
  }

  async #living(): Promise<readonly { readonly kind: string; readonly pid: number }[]> {
    const children = (await this.#children()).flatMap(({ kind, pid }) =>
      pid === null ? [] : [{ kind, pid }],
    );
    return [{ kind: 'supervisor', pid: this.service.supervisorPid }, ...children];
  }

  async #admin(path: string): Promise<string> {
    return (await fetch(`${this.service.adminEndpoint}${path}`)).text();
  }

  async #untilFirstFailure(parts: readonly Promise<void>[]): Promise<void> {
    const results = await Promise.allSettled(
      parts.map((part) =>
        part.catch((error: unknown) => {
          this.#failed = true;
          throw error;
        }),
      ),
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
