import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { startService, type Service, type ServiceOptions } from '../../test/support/service.js';
import { commandLineOf } from '../measure/processes.js';
import type { ProfileFolder } from '../profile/folder.js';
import { TargetError, type ProcessGroup, type Target } from './target.js';

export interface RingwaySettings {
  readonly name: string;
  /** `--config`: otherwise an embedded store with the defaults. */
  readonly configFile?: string | undefined;
  /** A credential of the configuration file's users; otherwise the run's own. */
  readonly credential?: { readonly accessKey: string; readonly secretKey: string } | undefined;
  readonly listeners?: number | undefined;
  readonly region: string;
  /** `dist` of another build, to compare with. */
  readonly dist?: string | undefined;
  readonly profiles?: ProfileFolder | undefined;
  /** The store's processes, where the configuration names a store of its own. */
  readonly storeGroups: readonly ProcessGroup[];
}

/** The service in processes of its own, with a data directory that goes with it. */
export async function startRingway(settings: RingwaySettings): Promise<Target> {
  const { name, configFile, dist, profiles, region, storeGroups } = settings;
  const listeners = settings.listeners ?? (configFile === undefined ? availableParallelism() : 0);
  const options: ServiceOptions = {
    ...(listeners === 0 ? {} : { listeners }),
    ...(configFile === undefined ? {} : { configFile: resolve(configFile) }),
    ...(dist === undefined ? {} : { main: join(resolve(dist), 'supervisor/main.js') }),
    ...(profiles === undefined ? {} : { env: profiles.environment }),
  };
  const service = await startedService(options);
  return {
    name,
    description: describe(settings, listeners),
    dialect: {
      kind: 's3',
      endpoint: service.endpoint,
      accessKey: settings.credential?.accessKey ?? service.accessKey,
      secretKey: settings.credential?.secretKey ?? service.secretKey,
      region,
      lacks: [],
    },
    groups: [{ name, pids: [service.supervisorPid] }, ...storeGroups],
    ...(profiles && { profiled: service.pids().filter(isListener) }),
    keepsData: configFile !== undefined,
    stop: async () => {
      await service.stop();
    },
  };
}

/** @throws TargetError when it does not start */
export async function startedService(options: ServiceOptions): Promise<Service> {
  try {
    return await startService(options);
  } catch (error) {
    throw new TargetError(`Ringway does not start: ${(error as Error).message}`);
  }
}

function describe({ configFile, dist }: RingwaySettings, listeners: number): string {
  const store = configFile ?? 'embedded store';
  const count = listeners === 0 ? 'listeners as configured' : `${listeners} listeners`;
  return `Ringway${dist === undefined ? '' : ` of ${dist}`}, ${store}, ${count}`;
}

function isListener(pid: number): boolean {
  return /\/src\/processes\/listener\.js\b/.test(commandLineOf(pid));
}
