import type { Surface } from '../../server/surface.js';

/** Has no page yet: until then its addresses answer 501 where it is on. */
export const LAB: Surface = {
  id: 'lab',
  group: 'lab',
  feature: 'lab',
  access: 'operate',
  prefixes: ['/lab'],
  pages: [],
};
