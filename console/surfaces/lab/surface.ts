import type { Surface } from '../../server/surface.js';
import { DEBT } from './debt/page.js';
import { CAPSULE } from './capsule/page.js';
import { CHAOS } from './chaos/page.js';
import { EXPIRED } from './expired/page.js';
import { NODE_DRILL } from './node/page.js';
import { GENOME } from './genome/page.js';
import { POLICIES } from './policies/page.js';
import { PROFILE_MAP } from './profilemap/page.js';
import { RINGS } from './rings/page.js';
import { sourceRoutes, type LabPage } from './ground/data-source.js';
import { TOMBSTONES } from './tombstones/page.js';
import { SHADOW } from './shadow/page.js';

const PAGES: readonly LabPage[] = [
  RINGS,
  POLICIES,
  CAPSULE,
  TOMBSTONES,
  CHAOS,
  NODE_DRILL,
  DEBT,
  SHADOW,
  EXPIRED,
  PROFILE_MAP,
  GENOME,
];

/** Pages for operators who want to know, and to try, how their cluster behaves. */
export const LAB: Surface = {
  id: 'lab',
  group: 'lab',
  feature: 'lab',
  access: 'operate',
  prefixes: ['/lab'],
  pages: PAGES,
  routes: (app, context) => {
    sourceRoutes(app, context, PAGES);
  },
};
