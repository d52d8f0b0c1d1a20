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

const off = (message: string, needs: string): FeatureOff => ({
  code: 'feature_disabled',
  message,
  needs,
});

/** What the routes of a feature answer while it is off. */
export const FEATURES_OFF: Readonly<Partial<Record<Feature, FeatureOff>>> = {
  deploy: {
    code: 'deploy_unconfigured',
    message:
      'No deploy service is configured for this console. Set deploy_upstream, deploy_user and deploy_token_file, or deploy_config in the gateway configuration.',
    needs: 'deploy_upstream, deploy_user, deploy_token_file',
  },
  lab: off('The Lab is disabled in this console.', 'lab_enabled'),
  lab_mutations: off(
    'Changes in the Lab are disabled. Set lab_mutations to enable them.',
    'lab_mutations',
  ),
  account_admin: off('User management is disabled in this console.', 'account_admin'),
  access_keys: off('Access key management is disabled in this console.', 'credentials_file'),
  test: off('Benchmarks are disabled in this console.', 'test_enabled'),
  monitor: {
    code: 'unsupported_here',
    message: 'No monitoring source is configured.',
    needs: 'metrics_url, admin_url, logs_url, or cluster_nodes with store_dir',
  },
};
