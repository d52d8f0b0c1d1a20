import type { Surface } from '../../server/surface.js';

/** Every component on one page, for those who write pages. */
export const DESIGN: Surface = {
  id: 'design',
  group: 'none',
  feature: 'design',
  access: 'operate',
  prefixes: [],
  pages: [
    {
      id: 'design',
      title: 'Design',
      purpose: 'The components that pages are made of.',
      path: '/design',
      icon: 'palette',
      styles: ['/pages/design/design.css'],
    },
    {
      id: 'design/charts',
      title: 'Charts',
      purpose: 'The kinds of charts that pages have.',
      path: '/design/charts',
      icon: 'chart-column',
      styles: ['/css/charts.css', '/pages/design/design.css'],
    },
  ],
};
