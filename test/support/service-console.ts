import { eventually } from './eventually.js';
import type { S3Address } from './s3-client.js';
import { startService, type Service, type ServiceOptions } from './service.js';
import { IS_CLUSTER } from './stack.js';

/** A guard: a cluster takes its time to start on a busy machine. */
export const CONSOLE_LIMIT_MS = IS_CLUSTER ? 240_000 : 120_000;

/** The first user of the lab's tempauth, and so the console's operator. S3 knows the user as well. */
const LAB_OWNER = { accessKey: 'admin:admin', secretKey: 'admin' };

/** A service with a console, and a user whom the store, the console and S3 know. */
export interface ServiceWithConsole {
  readonly service: Service;
  /** The S3 API, with the key of that user. */
  readonly s3: S3Address;
  readonly stop: () => Promise<unknown>;
}

/** Starts one on the store under test. On a cluster its account is one that others use as well. */
export async function startServiceWithConsole(
  options: ServiceOptions = {},
): Promise<ServiceWithConsole> {
  const given = { console: '127.0.0.1:0', listeners: 1, ...options };
  if (!IS_CLUSTER) {
    const service = await startService({ store: '127.0.0.1:0', ...given });
    await consoleUp(service);
    return { service, s3: service, stop: () => service.stop() };
  }
  // As the lab configures it: S3 knows the users of tempauth.
  const tempauth = { credentials_source: 'tempauth', credentials_file: undefined };
  const service = await startService({ ...given, config: { ...tempauth, ...options.config } });
  await consoleUp(service);
  const { endpoint } = service;
  return { service, s3: { endpoint, ...LAB_OWNER }, stop: () => service.stop() };
}

/** The address of a service's console, from the banner, and its login. */
export function consoleOf(service: Service) {
  const text = service.output();
  const [, endpoint = ''] = /Console +(http:\S+)/.exec(text) ?? [];
  const { accessKey, secretKey: key } = IS_CLUSTER ? LAB_OWNER : service;
  const [user = '', account = ''] = accessKey.split(':').reverse();
  return { endpoint, port: Number(new URL(endpoint).port), account, user, key };
}

/**
 * Waits for the console, for which a service is ready without.
 * @param former process id of one that is to be replaced
 * @returns its process id
 */
export function consoleUp(service: Service, former?: number): Promise<number> {
  return childUp(service, 'console', former);
}

/** As {@link consoleUp}, for any child of the supervisor that there is one of. */
export async function childUp(
  service: Service,
  kind: 'console' | 'listener' | 'store',
  former?: number,
): Promise<number> {
  const found = await eventually(
    async () => {
      const status = (await (await fetch(`${service.adminEndpoint}/statusz`)).json()) as {
        readonly children: readonly { kind: string; state: string; pid: number }[];
      };
      return status.children.find((child) => child.kind === kind && child.state === 'up')?.pid;
    },
    (pid) => pid !== undefined && pid !== former,
  );
  return found ?? 0;
}
