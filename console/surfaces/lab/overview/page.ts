import type { SurfacePage } from '../../../server/surface.js';

export const OVERVIEW: SurfacePage = {
  id: 'lab/overview',
  title: 'Lab',
  purpose: 'Tools to understand, test and repair a cluster.',
  path: '/lab',
  icon: 'flask-conical',
  styles: ['/ui/css/lab.css', '/surfaces/lab/overview/page/overview.css'],
};
