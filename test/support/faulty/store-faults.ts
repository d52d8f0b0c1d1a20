import { fileURLToPath } from 'node:url';
import type * as B from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { FaultyBackend, type FaultRates } from '../../../src/backend/decorators/faulty.js';
import { WeakPreconditions } from '../../../src/backend/decorators/weak-preconditions.js';

/** How a store differs from the embedded one. */
export interface StoreFaults {
  /**
   * `weak`: as stock Swift, several writers win where one may. `lying`: it says that it keeps its
   * promises, and does not look at preconditions in archives of versions: no fence holds anybody
   * up, and nobody reads back what was written.
   */
  readonly preconditions?: 'weak' | 'lying';
  /** Every call waits up to this long before, so that races are of more than microseconds. */
  readonly delayMsMax?: number;
  /** It fails now and then. */
  readonly rates?: FaultRates;
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
  { preconditions, delayMsMax, rates }: StoreFaults,
): B.Backend {
  const all = { ...rates, ...(delayMsMax === undefined ? {} : { delayMsMax }) };
  const failing = Object.keys(all).length === 0 ? store : new FaultyBackend(store, all);
  if (preconditions === 'weak') return new WeakPreconditions(failing);
  return preconditions === 'lying' ? new LyingStore(failing) : failing;
}

/** The planted bug. */
class LyingStore extends DecoratedBackend {
  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const kept = ref.container.endsWith('+versions') ? undefined : precondition;
    return super.putObject(context, ref, input, kept);
  }
}
