import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as B from '../../../src/backend/backend.js';
import {
  DecoratedBackend,
  type BackendCall,
} from '../../../src/backend/decorators/decorated-backend.js';
import { FaultyBackend, type FaultRates } from '../backend/faulty.js';
import {
  DecoratedWrites,
  type ObjectWrite,
  type WriteConditions,
} from '../backend/object-writes.js';
import { ChainedStore } from './chained-store.js';

/** How a store differs from the embedded one. */
export interface StoreFaults {
  /**
   * `chained`: it keeps no other promise than Swift with the filter does. `lying`: it says that it
   * keeps its promises, and does not look at preconditions in archives of versions: fences stop no
   * writer, and writes are not read back.
   */
  readonly preconditions?: 'chained' | 'lying';
  /** Every call waits up to this long before, so that races are of more than microseconds. */
  readonly delayMsMax?: number;
  /** It fails now and then. */
  readonly rates?: FaultRates;
  /** Its process is killed, once. */
  readonly kill?: KillPoint;
}

export interface KillPoint {
  /** The number of the write, counted from the first manifest of a large object, which is 1. */
  readonly write: number;
  /** A file that is there from then on: the next process of the same environment lives. */
  readonly flag: string;
}

/** The service as it is, over a store with the faults of its environment. */
export const FAULTY_MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

const VARIABLE = 'RINGWAY_TEST_STORE_FAULTS';

export function storeFaultsEnvironment(faults: StoreFaults): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(faults) };
}

export function readStoreFaults(environment: NodeJS.ProcessEnv): StoreFaults {
  return JSON.parse(environment[VARIABLE] ?? '{}') as StoreFaults;
}

export function withFaults(
  store: B.Backend,
  { preconditions, delayMsMax, rates, kill }: StoreFaults,
): B.Backend {
  if (kill !== undefined) return new KillingStore(store, kill);
  const all = { ...rates, ...(delayMsMax === undefined ? {} : { delayMsMax }) };
  const failing = Object.keys(all).length === 0 ? store : new FaultyBackend(store, all);
  if (preconditions === 'chained') return new ChainedStore(failing);
  return preconditions === 'lying' ? new LyingStore(failing) : failing;
}

/** The client gets no answer to the write after which it is killed. */
class KillingStore extends DecoratedBackend {
  #writes = 0;

  constructor(
    inner: B.Backend,
    private readonly point: KillPoint,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const answer = await proceed();
    const counts = call.kind === 'write' && (this.#writes > 0 || call.method === 'putManifest');
    if (counts && ++this.#writes === this.point.write) this.#kill();
    return answer;
  }

  #kill(): void {
    const { flag } = this.point;
    if (existsSync(flag)) return;
    writeFileSync(flag, '');
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The planted bug. */
class LyingStore extends DecoratedWrites {
  protected override aroundWrite<T>(
    write: ObjectWrite,
    proceed: (conditions: WriteConditions) => Promise<T>,
  ): Promise<T> {
    const isFence = write.method === 'putObject' && write.ref.container.endsWith('+versions');
    return proceed(isFence ? { guard: write.guard, precondition: undefined } : write);
  }
}
