import type { Backend } from '../../../src/backend/backend.js';
import { CrashPointBackend } from '../../support/backend/crash-points.js';
import { openEmbeddedStore, type EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import type { BucketState, Operation } from '../history/operation.js';
import { Recorder, Stopwatch } from '../history/recorder.js';
import { auditArchive } from './archive-audit.js';
import { CORE_BUCKET, CoreClient, type Gateway } from './core-client.js';
import { lookAtEverything } from './last-look.js';
import { withFaults, type StoreFaults } from '../../support/faulty/store-faults.js';
import { Worker } from './workload.js';

const GATEWAYS = 4;
/** More than there are keys, so that most operations meet another one. */
const CLIENTS = 8;
const KEYS = ['key-0', 'key-1', 'key-2', 'key-3', 'key-4'];
const INDEX_BYTES_MAX = 1024 * 1024;

export interface CoreRaceOptions {
  readonly operations: number;
  readonly faults: StoreFaults;
  /** Writes of a gateway between two crashes, on average; undefined: none crashes. */
  readonly writesPerCrash?: number;
  /** Operations between two changes of the bucket's state, on average; undefined: it is enabled. */
  readonly operationsPerState?: number;
  /** What the race goes on for, up to {@link EXTENSION} times its operations: chance may be slow. */
  readonly until?: (operations: readonly Operation[]) => boolean;
}

const EXTENSION = 10;

export interface CoreRaceResult {
  readonly operations: readonly Operation[];
  readonly crashes: number;
  /** Of the archive, in the end: what does not fit together. */
  readonly problems: readonly string[];
}

/**
 * The race in one process: gateways are nothing but a store, each with decorators of its own, and
 * the versions over it. One that crashes stops at a call, and hears of nothing any more. So it
 * meets, in a second, more of what can happen between two calls than processes do in minutes.
 */
export async function raceCore(options: CoreRaceOptions): Promise<CoreRaceResult> {
  const directory = await makeTempFolder('core-race');
  const store = await openEmbeddedStore({ directory });
  try {
    return await new CoreRace(options, store).run();
  } finally {
    await store.close();
    await removeFolder(directory);
  }
}

class CoreRace {
  readonly #recorder = new Recorder();
  readonly #gateways: CrashableGateway[];
  #state: BucketState = 'unversioned';
  /** Operations after which the state changes. */
  #stateUntil: number;

  constructor(
    private readonly options: CoreRaceOptions,
    private readonly store: EmbeddedStore,
  ) {
    const { faults, writesPerCrash, operationsPerState = Infinity } = options;
    this.#stateUntil = operationsPerState;
    this.#gateways = Array.from(
      { length: GATEWAYS },
      () => new CrashableGateway(() => withFaults(store, faults), writesPerCrash),
    );
  }

  async run(): Promise<CoreRaceResult> {
    const { account, bucket } = CORE_BUCKET;
    await this.store.createContainer({ requestId: 'race' }, { account, container: bucket }, {});
    this.#nextState();
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => this.#work(`client-${i}`)));
    for (const gateway of this.#gateways) gateway.settle();
    const isSane = this.options.faults.preconditions !== 'lying';
    await lookAtEverything(this.#client('last'), KEYS, isSane);
    const crashes = this.#gateways.reduce((sum, gateway) => sum + gateway.crashes, 0);
    const fencesDecide = this.options.faults.preconditions === undefined;
    const problems = await auditArchive(this.store, CORE_BUCKET, KEYS, fencesDecide);
    return { operations: this.#recorder.operations, crashes, problems };
  }

  #client(name: string): CoreClient {
    const anyGateway = (): Gateway => {
      const chosen = this.#gateways[Math.floor(Math.random() * this.#gateways.length)];
      if (chosen === undefined) throw new Error('there is no gateway');
      return chosen.living();
    };
    return new CoreClient(name, this.#recorder, anyGateway, () => this.#state);
  }

  async #work(name: string): Promise<void> {
    const { operationsPerState = Infinity } = this.options;
    const worker = new Worker(this.#client(name), KEYS);
    while (!this.#isOver()) {
      await worker.move();
      if (this.#recorder.count < this.#stateUntil) continue;
      this.#stateUntil = this.#recorder.count + 2 * Math.random() * operationsPerState;
      this.#nextState();
    }
  }

  #isOver(): boolean {
    const { operations, until } = this.options;
    const { count } = this.#recorder;
    if (count < operations) return false;
    return count >= EXTENSION * operations || until?.(this.#recorder.operations) !== false;
  }

  #nextState(): void {
    const watch = new Stopwatch();
    this.#state = this.#state === 'Enabled' ? 'Suspended' : 'Enabled';
    const outcome = { result: 'ok' } as const;
    this.#recorder.add('director', watch.stop(), { op: 'set-state', state: this.#state, outcome });
  }
}

/** Always alive: whoever crashed has a successor. */
class CrashableGateway {
  crashes = 0;
  #backend: CrashPointBackend;
  #versions: VersionedKeys;

  constructor(
    private readonly openStore: () => Backend,
    private writesPerCrash: number | undefined,
  ) {
    [this.#backend, this.#versions] = this.#start();
  }

  living(): Gateway {
    if (this.#backend.crashed) {
      this.crashes += 1;
      [this.#backend, this.#versions] = this.#start();
    }
    return { backend: this.#backend, versions: this.#versions };
  }

  /** No crash any more. */
  settle(): void {
    this.writesPerCrash = undefined;
    [this.#backend, this.#versions] = this.#start();
  }

  #start(): [CrashPointBackend, VersionedKeys] {
    const { writesPerCrash } = this;
    const at =
      writesPerCrash === undefined ? undefined : Math.ceil(Math.random() * 2 * writesPerCrash);
    const when = Math.random() < 0.5 ? 'before' : 'after';
    const backend = new CrashPointBackend(this.openStore(), { at, when });
    return [backend, new VersionedKeys({ backend, indexBytesMax: INDEX_BYTES_MAX })];
  }
}
