import type { AuditVerdict } from '../../../src/lib/audit/audit-log.js';
import type { Surface } from '../../server/surface.js';
import { auditRoutes, type AuditPage } from './routes.js';

/** The answers on the audit log that pages read. */
export interface AuditAnswers {
  [audit: `GET /api/audit?${string}`]: AuditPage;
  'GET /api/audit/verify': AuditVerdict;
}

export const AUDIT: Surface<{ readonly answers: AuditAnswers }> = {
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
