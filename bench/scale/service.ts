import { openDialect } from '../dialects/open.js';
import type { Dialect } from '../dialects/dialect.js';
import { fetchBody } from '../load/unmeasured.js';
import { startedService } from '../targets/ringway.js';
import type { Target } from '../targets/target.js';
import type { Service } from '../../test/support/service.js';

/** Ringway on a temporary embedded store, with one bucket. */
export interface Subject {
  readonly service: Service;
  readonly target: Target;
  readonly dialect: Dialect;
  readonly bucket: string;
}

export const BUCKET = 'scale';

/** The account of the service's own credential. */
export const ACCOUNT = 'AUTH_main';

/** @throws TargetError when it does not start */
export async function startSubject(
  listeners: number,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Subject> {
  const service = await startedService({ listeners, config });
  const { endpoint, accessKey, secretKey, supervisorPid } = service;
  const settings = { kind: 's3', endpoint, accessKey, secretKey, region: 'us-east-1', lacks: [] };
  const target: Target = {
    name: 'ringway',
    description: `Ringway, embedded store, ${listeners} listeners`,
    dialect: { ...settings, kind: 's3' },
    groups: [{ name: 'ringway', pids: [supervisorPid] }],
    keepsData: false,
    stop: async () => {
      await service.stop();
    },
  };
  const dialect = openDialect(target.dialect);
  await fetchBody(dialect, dialect.createBucket(BUCKET));
  return { service, target, dialect, bucket: BUCKET };
}
