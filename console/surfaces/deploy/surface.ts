import type { Surface } from '../../server/surface.js';
import type { DeployAnswers } from './answers.js';
import { deployRoutes } from './routes.js';

/** The front end of Deploy's control service. */
export const DEPLOY: Surface<{ readonly answers: DeployAnswers }> = {
  id: 'deploy',
  group: 'cluster',
  feature: 'deploy',
  setting: {
    isOn: ({ deployUpstream }) => deployUpstream !== '',
    code: 'deploy_unconfigured',
    message:
      'No deploy service is configured for this console. Set deploy_upstream, deploy_user and deploy_token_file, or deploy_config in the gateway configuration: see docs/deploy.md.',
    needs: 'deploy_upstream, deploy_user, deploy_token_file',
  },
  access: 'operate',
  prefixes: ['/deploy'],
  pages: [
    {
      id: 'deploy',
      title: 'Deploy',
      purpose: 'Describe the cluster, preview what a change moves, apply it, or roll back.',
      path: '/deploy',
      icon: 'rocket',
      styles: [
        '/ui/css/charts.css',
        '/ui/css/lab.css',
        '/surfaces/deploy/page/deploy.css',
        '/surfaces/deploy/page/spec.css',
      ],
      routes: deployRoutes,
    },
  ],
};
