import type { Backend } from '../../../src/backend/backend.js';
import { openEmbeddedStore, type EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { CrashPointBackend } from '../../support/backend/crash-points.js';
import { withFaults, type StoreFaults } from '../../support/faulty/store-faults.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import type { BucketState } from '../history/operation.js';
import type { Recorder } from '../history/recorder.js';
import { auditArchive } from './archive-audit.js';
import { CORE_BUCKET, CoreClient, type CoreGateways, type Gateway } from './core-client.js';
import type { RaceGround, Racer } from './race.js';

const GATEWAYS = 4;
const INDEX_BYTES_MAX = 1024 * 1024;

export interface CoreOptions {
  readonly faults: StoreFaults;
  /** Writes of a gateway between two crashes, on average; undefined: none crashes. */
  readonly writesPerCrash?: number;
}

/**
 * Gateways in this process: nothing but a store, each with decorators of its own, and the versions
 * over it. One that crashes stops at a call, and hears of nothing any more. So a race meets, in a
 * second, more of what can happen between two calls than processes do in minutes.
 */
export class CoreGround implements RaceGround, CoreGateways {
  state: BucketState = 'unversioned';
  readonly #gateways: readonly CrashableGateway[];

  private constructor(
    private readonly store: EmbeddedStore,
    private readonly directory: string,
    private readonly options: CoreOptions,
  ) {
    const { faults, writesPerCrash } = options;
    this.#gateways = Array.from(
      { length: GATEWAYS },
      () => new CrashableGateway(() => withFaults(store, faults), writesPerCrash),
    );
  }

  static async open(options: CoreOptions): Promise<CoreGround> {
    const directory = await makeTempFolder('core-race');
    const store = await openEmbeddedStore({ directory });
    const { account, bucket } = CORE_BUCKET;
    await store.createContainer({ requestId: 'race' }, { account, container: bucket }, {});
    return new CoreGround(store, directory, options);
  }

  get crashes(): number {
    return this.#gateways.reduce((sum, gateway) => sum + gateway.crashes, 0);
  }

  client(name: string, recorder: Recorder): Racer {
    return new CoreClient(name, recorder, this);
  }

  anyGateway(): Gateway {
    const chosen = this.#gateways[Math.floor(Math.random() * this.#gateways.length)];
    if (chosen === undefined) throw new Error('there is no gateway');
    return chosen.living();
  }

  /** No gateway crashes from now on. */
  settle(): void {
    for (const gateway of this.#gateways) gateway.settle();
  }

  audit(keys: readonly string[]): Promise<readonly string[]> {
    const fencesDecide = this.options.faults.preconditions === undefined;
    return auditArchive(this.store, CORE_BUCKET, keys, fencesDecide);
  }

  async close(): Promise<void> {
    await this.store.close();
    await removeFolder(this.directory);
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
