import type { ProcessGroup, Target } from './target.js';

export interface EndpointSettings {
  readonly name: string;
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly groups: readonly ProcessGroup[];
}

/** Any S3 endpoint that runs already. */
export function s3Endpoint({ name, endpoint, groups, ...keys }: EndpointSettings): Target {
  return {
    name,
    description: `S3 at ${endpoint}`,
    dialect: { kind: 's3', endpoint: endpoint.replace(/\/$/, ''), ...keys, lacks: [] },
    groups,
    profiled: [],
    keepsData: true,
    stop: () => Promise.resolve(),
  };
}
