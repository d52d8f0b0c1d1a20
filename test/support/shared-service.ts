import { startService, type Service, type TestUser } from './service.js';
import { STACK } from './stack.js';

/** One for each suite: none sees the buckets of another. */
const OWNERS: readonly TestUser[] = Array.from({ length: 100 }, (_, at) => ({
  accessKey: `RINGWAYSUITE${at}`,
  secretKey: `ringway-suite-secret/key+${at}`,
  account: `AUTH_suite${at}`,
  role: 'owner',
}));

let shared: Promise<Service> | undefined;
let suites = 0;

/**
 * A service with all defaults, which takes four seconds of processor time to start: the suites of this
 * run of mocha share it, each as the owner of an account of its own, and `stop` lets go of it alone.
 * Where accounts are given, as on a cluster, it is one of the suite's own.
 */
export async function serviceOfSuites(): Promise<Service> {
  if (STACK !== 'embedded') return startService();
  shared ??= startService({ users: OWNERS });
  const service = await shared;
  const owner = OWNERS[suites++];
  if (owner === undefined) throw new Error('more suites than accounts share a service');
  const { endpoint, adminEndpoint, dataDir, supervisorPid } = service;
  return {
    ...{ endpoint, adminEndpoint, dataDir, supervisorPid },
    ...{ accessKey: owner.accessKey, secretKey: owner.secretKey },
    pids: () => service.pids(),
    output: () => service.output(),
    stop: () => Promise.resolve(0),
    kill9: () => Promise.reject(new Error('other suites use this service')),
  };
}

// A hook of the root suite, so it runs after the last test that may have used it.
after('stop the service that suites share', async function () {
  const code = (await (await shared)?.stop()) ?? 0;
  if (code !== 0) throw new Error(`the service that suites share ended with ${code}`);
});
