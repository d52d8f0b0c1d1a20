import type { Surface } from '../../server/surface.js';
import { auditRoutes } from './routes.js';

export const AUDIT: Surface = {
  id: 'audit',
  group: 'administration',
  feature: 'audit',
  access: 'operate',
  prefixes: ['/api/audit'],
  pages: [
    {
      id: 'audit',
      title: 'Audit log',
      purpose: 'User actions and their results.',
      path: '/audit',
      icon: 'scroll-text',
      skipTo: '#records',
      styles: ['/ui/css/admin.css'],
      routes: auditRoutes,
    },
  ],
};
