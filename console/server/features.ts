import type { ApiErrorCode } from './api-error.js';
import type { ConsoleContext } from './context.js';

/** The parts of the console that are on, by the configuration. */
export function featuresOf({
  options,
  monitor,
  userAdmin,
}: Pick<ConsoleContext, 'options' | 'monitor' | 'userAdmin'>) {
  return {
    files: true,
    deploy: options.deployUpstream !== '',
    monitor: monitor !== undefined,
    lab: options.labEnabled,
    lab_mutations: options.labMutations,
    account_admin: userAdmin !== undefined,
    access_keys: options.credentialsFile !== '',
    test: options.testEnabled,
    audit: true,
    design: true,
  };
}

export type Features = ReturnType<typeof featuresOf>;
export type Feature = keyof Features;

interface FeatureOff {
  readonly code: ApiErrorCode;
  readonly message: string;
  /** The keys of the configuration that switch it on. */
  readonly needs: string;
}

const off = (what: string, needs: string, docs: string): FeatureOff => ({
  code: 'feature_disabled',
  message: `${what} disabled in this console. Set ${needs} in its configuration: see ${docs}.`,
  needs,
});

/** What the routes of a feature answer while it is off. */
export const FEATURES_OFF: Readonly<Partial<Record<Feature, FeatureOff>>> = {
  deploy: {
    code: 'deploy_unconfigured',
    message:
      'No deploy service is configured for this console. Set deploy_upstream, deploy_user and deploy_token_file, or deploy_config in the gateway configuration: see docs/deploy.md.',
    needs: 'deploy_upstream, deploy_user, deploy_token_file',
  },
  lab: off('The Lab is', 'lab_enabled', 'docs/lab.md'),
  lab_mutations: off('Changes in the Lab are', 'lab_mutations', 'docs/lab.md'),
  account_admin: off('User management is', 'account_admin', 'docs/console.md#users'),
  access_keys: off('Access key management is', 'credentials_file', 'docs/credentials.md'),
  test: off('Benchmarks are', 'test_enabled', 'docs/benchmarks.md'),
  monitor: {
    code: 'unsupported_here',
    message: 'No monitoring source is configured.',
    needs: 'metrics_url, admin_url, logs_url, or cluster_nodes with store_dir',
  },
};
