import { createHash } from 'node:crypto';
import process from 'node:process';
import { skipBecause } from './skip.js';

/**
 * What the service under test stores in: the suites of the S3 API run on each. `swift` is a real
 * cluster, `swift-api` our own Swift API over an embedded store. On these, which tests share, each
 * service has accounts of its own.
 */
export type StackName = 'embedded' | 'swift' | 'swift-api';

export const STACK = stackName(process.env.RINGWAY_TEST_STACK);

export interface Stack {
  /** Keys of the service's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What an account of a test, such as AUTH_main, is called there. */
  account(name: string): string;
}

/** @param dataDir - of the service: one that is started again finds its accounts again */
export async function openStack(dataDir: string): Promise<Stack> {
  if (STACK === 'embedded') return { config: {}, account: (name) => name };
  const keys = await clusterKeys(STACK);
  const suffix = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return {
    // Tests ask for what they changed right away, of any listener.
    config: { ...keys, credentials_source: 'file', swift_container_cache_ms: 0 },
    account: (name) => `${name}_${suffix}`,
  };
}

async function clusterKeys(stack: 'swift' | 'swift-api'): Promise<Record<string, unknown>> {
  if (stack === 'swift') {
    const { sharedSwiftLab } = await import('./shared-swift-lab.js');
    return (await sharedSwiftLab()).gatewayKeys();
  }
  const { sharedSwiftApi } = await import('./shared-swift-api.js');
  return { ...(await sharedSwiftApi()).gatewayKeys };
}

function stackName(text = 'embedded'): StackName {
  if (text === 'embedded' || text === 'swift' || text === 'swift-api') return text;
  throw new Error(`RINGWAY_TEST_STACK: ${text}, expected embedded, swift or swift-api`);
}

/**
 * Leaves a suite or test out that is about another kind of store than the one under test, and says
 * so in its title.
 */
export function onlyOn(context: Mocha.Context, stack: 'embedded' | 'swift', why: string): void {
  if ((STACK === 'embedded') === (stack === 'embedded')) return;
  skipBecause(context, why);
}
