import type { DialectSettings } from '../dialects/dialect.js';
import type { Target } from './target.js';

type EndpointSettings = Pick<Target, 'name' | 'groups'> &
  Omit<DialectSettings & { readonly kind: 's3' }, 'kind' | 'lacks'>;

/** Any S3 endpoint that runs already. */
export function s3Endpoint({ name, endpoint, groups, ...keys }: EndpointSettings): Target {
  return {
    name,
    description: `S3 at ${endpoint}`,
    dialect: { kind: 's3', endpoint: endpoint.replace(/\/$/, ''), ...keys, lacks: [] },
    groups,
    keepsData: true,
    stop: () => Promise.resolve(),
  };
}
