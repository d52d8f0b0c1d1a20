import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  openTransport,
  type OpenTransport,
  type TransportOptions,
} from '../../src/backend/swift/net/open-transport.js';
import type { ConsoleClient } from '../console/support/client.js';
import { REAL_CLOCK, startTestBed, type TestBed } from '../console/support/console.js';
import { useOnce, type Fixture } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { filterSecret, SwiftClient } from '../support/swift-client.js';
import type { SwiftLab } from '../support/swift-lab.js';

export const ENABLED =
  '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

type Settings = Readonly<Record<string, unknown>>;

/** The lab, with all its servers up before the suite and after it. */
export function useHealedLab(): Fixture<SwiftLab> {
  return useOnce(async () => {
    const lab = await sharedSwiftLab();
    await lab.heal();
    return lab;
  }, 'heal');
}

/** An S3 client of a user of the lab. */
export function s3Of(lab: SwiftLab, endpoint: string, name = 'test:tester'): S3TestClient {
  return new S3TestClient({ endpoint, accessKey: name, secretKey: lab.user(name).key });
}

/** A gateway of one listener before the lab, and an S3 client of a user. */
export function useGateway(
  lab: Fixture<SwiftLab>,
  keys: Readonly<Record<string, unknown>> = {},
  listeners = 1,
): { readonly service: Fixture<Service>; readonly s3: Fixture<S3TestClient> } {
  const service = useOnce(() => {
    return startService({ config: { ...lab().gatewayKeys(), ...keys }, listeners });
  }, 'stop');
  return { service, s3: useOnce(() => s3Of(lab(), service().endpoint), 'close') };
}

/** A user of the lab with a plain Swift client. */
export function useSwiftClient(lab: Fixture<SwiftLab>, name = 'test:tester'): Fixture<SwiftClient> {
  return useOnce(() => new SwiftClient(lab(), lab().user(name)), 'close');
}

/** The transport of the gateway, through the proxies. */
export function openLabTransport(
  lab: SwiftLab,
  options: Partial<TransportOptions> = {},
): OpenTransport {
  const { account, user, key } = lab.state.serviceUser;
  return openTransport({
    endpoints: lab.state.endpoints,
    credentialFor: () => ({ user: `${account}:${user}`, key }),
    filterSecret: filterSecret(lab),
    ...options,
  });
}

/** A console of the lab, and its operator. @param overrides further settings */
export function useConsole(overrides: () => Promise<Settings> | Settings): {
  readonly bed: Fixture<TestBed>;
  readonly operator: Fixture<ConsoleClient>;
} {
  const bed = useOnce(async () => startTestBed(await overrides(), REAL_CLOCK), 'close');
  return { bed, operator: useOnce(() => bed().login()) };
}

/** The settings of the lab's own console that let it stop servers and change devices. */
export async function mutationKeys(lab: SwiftLab): Promise<Settings> {
  const file = join(dirname(lab.state.gatewayConfig), 'lab-console.json');
  const own = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  const { lab_enabled, lab_mutations, store_dir, node_root, node_driver, cluster_nodes } = own;
  return { lab_enabled, lab_mutations, store_dir, node_root, node_driver, cluster_nodes };
}
