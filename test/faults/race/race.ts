import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { eventually } from '../../support/eventually.js';
import {
  FAULTY_MAIN,
  storeFaultsEnvironment,
  type StoreFaults,
} from '../../support/faulty/store-faults.js';
import { S3TestClient } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import type { BucketState, Operation } from '../history/operation.js';
import { Recorder } from '../history/recorder.js';
import { auditArchive } from './archive-audit.js';
import { lookAtEverything } from './last-look.js';
import { RaceClient } from './race-client.js';
import { Worker } from './workload.js';

const BUCKET = 'race';
const KEYS = Array.from({ length: 20 }, (_, i) => `key-${String(i).padStart(2, '0')}`);
const CLIENTS = 8;

export interface RaceOptions {
  readonly gateways: number;
  /** Of each gateway. */
  readonly listeners: number;
  readonly faults?: StoreFaults;
  /** It goes on for this many operations, and this long. */
  readonly operationsMin: number;
  readonly durationMsMin: number;
  /** Operations between two kills of a listener, on average; undefined: none is killed. */
  readonly operationsPerKill?: number;
  /**
   * Operations between two changes of the bucket's versioning state, the first of which enables it;
   * undefined: it is enabled from the start, and stays so.
   */
  readonly operationsPerState?: number;
  /** Default: 20. */
  readonly keys?: number;
}

export interface RaceResult {
  readonly operations: readonly Operation[];
  readonly kills: number;
  /** Of the archive, in the end: what does not fit together. */
  readonly problems: readonly string[];
}

/**
 * Several gateways, each the real service with a supervisor and listeners of its own, on one
 * embedded store, and clients that change the same keys through any of them.
 */
export class Race {
  readonly #recorder = new Recorder();
  readonly #keys: readonly string[];
  #kills = 0;
  #services: readonly Service[] = [];
  #folder = '';
  #startedAt = 0;
  readonly #moves = new Set<Promise<void>>();
  /** While it is there, clients begin nothing. */
  #held: Promise<void> | undefined;
  #failed = false;

  constructor(private readonly options: RaceOptions) {
    this.#keys = KEYS.slice(0, options.keys ?? KEYS.length);
  }

  /** Races, and looks at everything when all is quiet again. */
  async run(): Promise<RaceResult> {
    await this.#start();
    await this.#makeBucket();
    const clients = Array.from({ length: CLIENTS }, (_, i) => this.#client(`client-${i}`));
    const director = this.#client('director');
    if (this.options.operationsPerState === undefined) await director.setState('Enabled');
    this.#startedAt = performance.now();
    const working = clients.map((client) => this.#work(client));
    await this.#endWithFirstFailure([...working, this.#changeStates(director), this.#kill()]);
    const isSane = this.options.faults?.preconditions !== 'lying';
    await lookAtEverything(director, this.#keys, isSane);
    await Promise.all([director, ...clients].map((client) => client.close()));
    await Promise.all(this.#services.map((service) => service.stop()));
    return {
      operations: this.#recorder.operations,
      kills: this.#kills,
      problems: await this.#audit(),
    };
  }

  async #audit(): Promise<string[]> {
    const store = await openEmbeddedStore({ directory: join(this.#folder, 'store') });
    try {
      const fencesDecide = this.options.faults?.preconditions === undefined;
      const bucket = { account: 'AUTH_main', bucket: BUCKET };
      return await auditArchive(store, bucket, this.#keys, fencesDecide);
    } finally {
      await store.close();
    }
  }

  /** Ends what still runs, and removes the store. */
  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.kill9()));
    await removeFolder(this.#folder);
  }

  /** Two services may not share a data directory; what they share of it is the store. */
  async #start(): Promise<void> {
    const { gateways, listeners, faults = {} } = this.options;
    this.#folder = await makeTempFolder('race');
    const store = join(this.#folder, 'store');
    await mkdir(store);
    const starting = Array.from({ length: gateways }, async (_, i) => {
      const dataDir = join(this.#folder, `gateway-${i}`);
      await mkdir(dataDir);
      await symlink(store, join(dataDir, 'store'));
      return startService({
        main: FAULTY_MAIN,
        dataDir,
        listeners,
        env: storeFaultsEnvironment(faults),
        config: {
          log_level: 'error',
          janitor_interval_ms: 0,
          // Listeners are killed all the time, and are to be back at once.
          restart_backoff_ms_min: 1,
          restart_backoff_ms_max: 1,
          restart_limit: 1000,
        },
      });
    });
    this.#services = await Promise.all(starting);
  }

  async #makeBucket(): Promise<void> {
    const s3 = new S3TestClient(this.#service(0));
    // A store that fails now and then may have made it, and not said so.
    await eventually(
      () => s3.put(`/${BUCKET}`),
      ({ status }) => status < 500,
    );
    const { status, text } = await s3.put(`/${BUCKET}`);
    if (status !== 200 && status !== 409 && status < 500) throw new Error(text);
    await s3.close();
  }

  #client(name: string): RaceClient {
    return new RaceClient(name, this.#recorder, this.#services, BUCKET);
  }

  #service(index: number): Service {
    const service = this.#services[index];
    if (service === undefined) throw new Error('there is no such gateway');
    return service;
  }

  async #work(client: RaceClient): Promise<void> {
    const worker = new Worker(client, this.#keys);
    while (!this.#isOver()) {
      await this.#held;
      const move = worker.move();
      this.#moves.add(move);
      await move.finally(() => this.#moves.delete(move));
    }
  }

  /**
   * With no write under way: one that began without versions, and ends with them, may become a
   * version (docs/limitations.md).
   */
  async #beginVersions(director: RaceClient): Promise<void> {
    this.#held = Promise.allSettled(this.#moves).then(() => director.setState('Enabled'));
    await this.#held;
    this.#held = undefined;
  }

  async #changeStates(director: RaceClient): Promise<void> {
    const { operationsPerState } = this.options;
    let state: BucketState = 'unversioned';
    if (operationsPerState === undefined) return;
    while (await this.#passed(operationsPerState)) {
      if (state === 'unversioned') await this.#beginVersions(director);
      else await director.setState(state === 'Enabled' ? 'Suspended' : 'Enabled');
      state = state === 'Enabled' ? 'Suspended' : 'Enabled';
    }
  }

  async #kill(): Promise<void> {
    const { operationsPerKill } = this.options;
    if (operationsPerKill === undefined) return;
    while (await this.#passed(operationsPerKill * (0.5 + Math.random()))) {
      const pids = this.#services.flatMap((service) => service.pids());
      const victim = pids[Math.floor(Math.random() * pids.length)];
      if (victim === undefined) continue;
      process.kill(victim, 'SIGKILL');
      this.#kills += 1;
    }
  }

  /** Waits until so many more operations are done. @returns false when the race is over before */
  async #passed(operations: number): Promise<boolean> {
    const target = this.#recorder.count + operations;
    await until(() => this.#recorder.count >= target || this.#isOver());
    return !this.#isOver();
  }

  #isOver(): boolean {
    const { operationsMin, durationMsMin } = this.options;
    const raced = performance.now() - this.#startedAt;
    return this.#failed || (this.#recorder.count >= operationsMin && raced >= durationMsMin);
  }

  /** Ends the race for all when one of them fails: what it met is a mistake, not an outcome. */
  async #endWithFirstFailure(racers: readonly Promise<void>[]): Promise<void> {
    const watched = racers.map((racer) =>
      racer.catch((error: unknown) => {
        this.#failed = true;
        throw error;
      }),
    );
    const results = await Promise.allSettled(watched);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}
