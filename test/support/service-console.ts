import { eventually } from './eventually.js';
import type { Service } from './service.js';

/** The address of a service's console, and its login, from the banner. */
export function consoleOf(service: Service) {
  const text = service.output();
  const [, endpoint = ''] = /Console +(http:\S+)/.exec(text) ?? [];
  const [, user = ''] = /Log in +no account, user (\S+), and/.exec(text) ?? [];
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    account: '',
    user,
    key: service.secretKey,
  };
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
