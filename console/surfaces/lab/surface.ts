import { settingOf } from '../../server/features.js';
import type { Surface } from '../../server/surface.js';
import type { LabAnswers } from './answers.js';
import { DEBT } from './debt/page.js';
import { CAPSULE } from './capsule/page.js';
import { CHAOS } from './chaos/page.js';
import { EXPIRED } from './expired/page.js';
import { NODE_DRILL } from './node/page.js';
import { OVERVIEW } from './overview/page.js';
import { GENOME } from './genome/page.js';
import { POLICIES } from './policies/page.js';
import { PROFILE_MAP } from './profilemap/page.js';
import { RINGS } from './rings/page.js';
import { sourceRoutes, type LabPage } from './ground/data-source.js';
import { Lab } from './lab.js';
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
export const LAB: Surface<{ readonly service: Lab; readonly answers: LabAnswers }> = {
  id: 'lab',
  group: 'cluster',
  feature: 'lab',
  setting: settingOf('The Lab is', 'lab_enabled', 'docs/lab.md', ({ labEnabled }) => labEnabled),
  parts: { lab_mutations: ({ labMutations }) => labMutations },
  access: 'operate',
  prefixes: ['/lab'],
  title: 'Lab',
  // The rail has the overview alone, which leads to the others.
  pages: [OVERVIEW, ...PAGES.map((page) => ({ ...page, isInRail: false }))],
  open: (context) => new Lab(context),
  routes: (app, context, lab) => {
    sourceRoutes(app, context, lab, PAGES);
  },
};
