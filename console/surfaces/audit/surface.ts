import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  AUDIT_RESULTS,
  type AuditRecord,
  type AuditVerdict,
} from '../../../src/lib/audit/audit-log.js';
import type { ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { Surface } from '../../server/surface.js';

/** Records that were found, the newest first. */
export interface AuditPage {
  readonly items: readonly AuditRecord[];
  /** Whether there may be more. */
  readonly truncated: boolean;
  /** The number of bytes that others have added to the log: what is in them is not listed. */
  readonly foreign_bytes: number;
}

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

const unixS = z.coerce.number().int().min(0).max(4_294_967_295);
const FILTER = z.object({
  actor: z.string().max(512).optional(),
  /** A whole one, or the beginning: `files` finds `files.purge`. */
  action: z.string().max(64).optional(),
  result: z.enum(AUDIT_RESULTS).optional(),
  /** A part of it. */
  target: z.string().max(512).optional(),
  ip: z.string().max(64).optional(),
  account: z.string().max(256).optional(),
  from_unix_s: unixS.optional(),
  to_unix_s: unixS.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** The audit log for operators: search, and a check that it was not changed. */
function auditRoutes(app: FastifyInstance, { audit }: ConsoleContext): void {
  app.get('/api/audit', { config: { access: 'operate' } }, async (request): Promise<AuditPage> => {
    const { actor, action, result, target, ip, account, limit, ...times } = parse(
      FILTER,
      request.query,
    );
    const { from_unix_s: fromS = 0, to_unix_s: toS = Infinity } = times;
    const items = await audit.latest(
      (one) =>
        (actor === undefined || one.actor === actor) &&
        (action === undefined || one.action.startsWith(action)) &&
        (result === undefined || one.result === result) &&
        (target === undefined || one.target.includes(target)) &&
        (ip === undefined || one.ip === ip) &&
        (account === undefined || one.account === account) &&
        one.unix_s >= fromS &&
        one.unix_s <= toS,
      limit,
    );
    const foreign = await audit.foreignBytes();
    return { items, truncated: items.length === limit, foreign_bytes: Math.max(0, foreign) };
  });

  app.get('/api/audit/verify', { config: { access: 'operate' } }, () => audit.verify());
}
