import type { Surface } from '../../server/surface.js';

/** Has no page yet: until then its addresses answer 501 where it is on. */
export const DEPLOY: Surface = {
  id: 'deploy',
  group: 'cluster',
  feature: 'deploy',
  access: 'operate',
  prefixes: ['/deploy'],
  pages: [],
};
