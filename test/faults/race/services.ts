import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { eventually } from '../../support/eventually.js';
import {
  FAULTY_MAIN,
  storeFaultsEnvironment,
  type StoreFaults,
} from '../../support/faulty/store-faults.js';
import { S3TestClient, type S3Address } from '../../support/s3-client.js';
import { startService, type Service } from '../../support/service.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import type { Recorder } from '../history/recorder.js';
import { auditArchive } from './archive-audit.js';
import {
  changingStates,
  Race,
  type RaceGround,
  type Racer,
  type RaceEvents,
  type RaceResult,
} from './race.js';
import { RaceClient } from './race-client.js';

const ACCOUNT = 'AUTH_main';
const BUCKET = 'race';

export interface ServicesOptions {
  readonly gateways: number;
  /** Of each gateway. */
  readonly listeners: number;
  /** Undefined: the service is as it is delivered. */
  readonly faults?: StoreFaults;
}

/** Clients of gateways that run already, of a bucket that is there. */
export class RunningGateways implements RaceGround {
  constructor(
    private readonly addresses: readonly S3Address[],
    private readonly bucket: string,
  ) {}

  client(name: string, recorder: Recorder): Racer {
    return new RaceClient(name, recorder, this.addresses, this.bucket);
  }

  /** Their stored data lies where no test can look. */
  audit(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/**
 * Several gateways, each the real service with a supervisor and listeners of its own, on one
 * embedded store.
 */
export class ServicesOnOneStore implements RaceGround {
  #services: readonly Service[] = [];
  kills = 0;

  private constructor(
    private readonly options: ServicesOptions,
    private readonly folder: string,
  ) {}

  static async open(options: ServicesOptions): Promise<ServicesOnOneStore> {
    const folder = await makeTempFolder('race');
    const ground = new ServicesOnOneStore(options, folder);
    try {
      await mkdir(ground.#store);
      await ground.start();
      await ground.#makeBucket();
      return ground;
    } catch (error) {
      await ground.close();
      throw error;
    }
  }

  /** Starts all of them, again after {@link kill9}. */
  async start(): Promise<void> {
    const starting = Array.from({ length: this.options.gateways }, (_, i) => this.#startOne(i));
    this.#services = await Promise.all(starting);
  }

  client(name: string, recorder: Recorder): Racer {
    return new RaceClient(name, recorder, this.#services, BUCKET);
  }

  /** Kills a listener, of any gateway, again and again: so many operations lie between, on average. */
  killingListeners(everyOperations: number): RaceEvents {
    return async (race) => {
      while (await race.passed(everyOperations * (0.5 + Math.random()))) {
        const pids = this.#services.flatMap((service) => service.pids());
        const victim = pids[Math.floor(Math.random() * pids.length)];
        if (victim === undefined) continue;
        process.kill(victim, 'SIGKILL');
        this.kills += 1;
      }
    };
  }

  /** Kills everything, as a power cut would. */
  async kill9(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.kill9()));
  }

  /** @returns the exit codes */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.#services.map((service) => service.stop()));
  }

  /** Stops the services first, so that nobody else has the store open. */
  async audit(keys: readonly string[]): Promise<readonly string[]> {
    await this.stop();
    const store = await openEmbeddedStore({ directory: this.#store });
    try {
      const fencesDecide = this.options.faults?.preconditions === undefined;
      const bucket = { account: ACCOUNT, bucket: BUCKET };
      return await auditArchive(store, bucket, keys, fencesDecide);
    } finally {
      await store.close();
    }
  }

  /** Ends what still runs, and removes the store. */
  async close(): Promise<void> {
    await this.kill9();
    await removeFolder(this.folder);
  }

  /** Whether what is stored can be read in any case. */
  get isSane(): boolean {
    return this.options.faults?.preconditions !== 'lying';
  }

  get #store(): string {
    return join(this.folder, 'store');
  }

  /** Two services may not share a data directory; what they share of it is the store. */
  async #startOne(index: number): Promise<Service> {
    const { listeners, faults } = this.options;
    const dataDir = join(this.folder, `gateway-${index}`);
    await mkdir(dataDir, { recursive: true });
    const link = join(dataDir, 'store');
    if (!existsSync(link)) await symlink(this.#store, link);
    return startService({
      ...(faults && { main: FAULTY_MAIN, env: storeFaultsEnvironment(faults) }),
      dataDir,
      listeners,
      config: {
        log_level: 'error',
        janitor_interval_ms: 0,
        // Listeners are killed all the time, and are to be back at once.
        restart_backoff_ms_min: 1,
        restart_backoff_ms_max: 1,
        restart_limit: 1000,
      },
    });
  }

  async #makeBucket(): Promise<void> {
    const [service] = this.#services;
    if (service === undefined) throw new Error('a race needs a gateway');
    const s3 = new S3TestClient(service);
    // A store that fails now and then may have made it, and not said so.
    await eventually(
      () => s3.put(`/${BUCKET}`),
      ({ status }) => status < 500,
    );
    const { status, text } = await s3.put(`/${BUCKET}`);
    if (status !== 200 && status !== 409 && status < 500) throw new Error(text);
    await s3.close();
  }
}

const KEYS = Array.from({ length: 20 }, (_, i) => `key-${String(i).padStart(2, '0')}`);
const CLIENTS = 8;

export interface ServicesRaceOptions {
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

/** Races through these services, and looks at everything when all is quiet again. */
export async function raceServices(
  ground: ServicesOnOneStore,
  options: ServicesRaceOptions,
): Promise<RaceResult> {
  const { operationsMin, durationMsMin, operationsPerKill, operationsPerState } = options;
  const race = new Race(ground, { keys: KEYS.slice(0, options.keys), clients: CLIENTS });
  if (operationsPerState === undefined) await race.director.setState('Enabled');
  const startedAt = performance.now();
  race.start(
    ...(operationsPerKill === undefined ? [] : [ground.killingListeners(operationsPerKill)]),
    ...(operationsPerState === undefined
      ? []
      : [changingStates(() => operationsPerState, 'unversioned')]),
  );
  await race.reached(
    () => race.operations.length >= operationsMin && performance.now() - startedAt >= durationMsMin,
  );
  await race.stop();
  return race.finish(ground.isSane);
}
