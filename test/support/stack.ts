import { createHash } from 'node:crypto';
import process from 'node:process';
import type { FaultRates } from './backend/faulty.js';
import { FAULTY_MAIN, storeFaultsEnvironment } from './faulty/store-faults.js';
import { skipBecause } from './skip.js';

/**
 * The store of the service under test: the suites of the S3 API run on each. `swift` is a real
 * cluster, `swift-direct` the same with direct reads, `swift-api` our own Swift API over an embedded
 * store. On these, which tests share, each service has accounts of its own. `faulty` is an embedded
 * store that fails now and then, for clients that try again (faulty/retries.ts).
 */
export type StackName = 'embedded' | 'faulty' | 'swift' | 'swift-direct' | 'swift-api';

const STACKS: readonly StackName[] = ['embedded', 'faulty', 'swift', 'swift-direct', 'swift-api'];

export const STACK = stackName(process.env.RINGWAY_TEST_STACK);

/** Whether it is a real cluster, which takes its time for everything. */
export const IS_CLUSTER = STACK === 'swift' || STACK === 'swift-direct';

/** Whether the store is in the service's own data directory. */
export const IS_EMBEDDED = STACK === 'embedded' || STACK === 'faulty';

export interface Stack {
  /** The program to start, where it is not the supervisor's own, and what that is told. */
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Keys of the service's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The name there of an account of a test, such as AUTH_main. */
  account(name: string): string;
}

/** @param dataDir - of the service: one that is started again finds its accounts again */
export async function openStack(dataDir: string): Promise<Stack> {
  if (STACK === 'embedded') return { config: {}, account: (name) => name };
  if (STACK === 'faulty') {
    const env = storeFaultsEnvironment({ rates: faultRates() });
    return { main: FAULTY_MAIN, env, config: {}, account: (name) => name };
  }
  const { keys, env } = await cluster(STACK);
  const suffix = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return {
    env,
    // Tests ask for what they changed right away, of any listener.
    config: { ...keys, credentials_source: 'file', swift_container_cache_ms: 0 },
    account: (name) => `${name}_${suffix}`,
  };
}

/**
 * All that leaves it open to a client to get, by trying again, what it would have got: not answers
 * that are lost after a write (a second DELETE is a second delete marker), which races are about.
 */
const FAULTS: FaultRates = { delayMsMax: 1, refused: 0.04, cut: 0.1, stale: 0.1, full: 0.05 };

/** `RINGWAY_TEST_FAULTS={"cut":0.5}` for others. */
function faultRates(): FaultRates {
  const { RINGWAY_TEST_FAULTS: text } = process.env;
  return text === undefined ? FAULTS : (JSON.parse(text) as FaultRates);
}

async function cluster(
  stack: 'swift' | 'swift-direct' | 'swift-api',
): Promise<{ keys: Record<string, unknown>; env: Record<string, string> }> {
  if (stack !== 'swift-api') {
    const { sharedSwiftLab } = await import('./shared-swift-lab.js');
    const lab = await sharedSwiftLab();
    const keys = stack === 'swift' ? lab.gatewayKeys() : lab.directKeys();
    return { keys, env: lab.gatewayEnv() };
  }
  const { sharedSwiftApi } = await import('./shared-swift-api.js');
  return { keys: { ...(await sharedSwiftApi()).gatewayKeys }, env: {} };
}

function stackName(text = 'embedded'): StackName {
  const known = STACKS.find((name) => name === text);
  if (known !== undefined) return known;
  throw new Error(`RINGWAY_TEST_STACK: ${text}, expected one of ${STACKS.join(', ')}`);
}

/**
 * Leaves a suite or test out that is about another kind of store than the one under test, and says
 * so in its title.
 */
export function onlyOn(context: Mocha.Context, stack: 'embedded' | 'swift', why: string): void {
  if (IS_EMBEDDED === (stack === 'embedded')) return;
  skipBecause(context, why);
}
