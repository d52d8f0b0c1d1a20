import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { expectShown } from '../../../server/changes.js';
import { audited } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { readRoute } from '../../../server/route-options.js';
import { namedContainer } from '../names.js';
import { corsRules, corsConfigurationOf, corsRulesOf, type CorsRuleView } from './cors-model.js';
import { orNone, s3Failure } from './failure.js';
import {
  matchCors,
  parseCors,
  parseLifecycle,
  renderCorsConfiguration,
  renderLifecycleConfiguration,
} from './gateway-rules.js';
import {
  configurationOf,
  lifecycleRules,
  rulesOf,
  type LifecycleRuleView,
} from './lifecycle-model.js';
import { previewLifecycle } from './lifecycle-preview.js';
import { expectS3Place, type S3Place } from './s3-bucket.js';

/** The digest of the document whose rules the page was shown. */
const was = z.string().max(64);
const LIFECYCLE = namedContainer.strict().extend({ rules: lifecycleRules });
const SAVE_LIFECYCLE = LIFECYCLE.extend({ was });
const CORS = namedContainer.strict().extend({ rules: corsRules, was });
const CORS_TEST = z.strictObject({
  rules: corsRules,
  origin: z.string().min(1).max(1024),
  method: z.string().min(1).max(16),
  headers: z.array(z.string().max(256)).max(50).default([]),
});

type RuleKind = 'lifecycle' | 'cors';

/** The rules of a bucket; none where it has no document of them. */
interface RulesView<Rule> {
  /** The value that a change of them has to bring as `was`. */
  readonly digest: string;
  readonly rules: readonly Rule[];
}

export type LifecycleView = RulesView<LifecycleRuleView>;
export type CorsView = RulesView<CorsRuleView>;

export interface CorsVerdict {
  /** The index of the rule that lets the request in; null where none does. */
  readonly rule: number | null;
}

const reads = { config: { access: 'read' } } as const;

/** Lifecycle and CORS rules of buckets, and what they would do. */
export function ruleRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const save = (
    request: FastifyRequest,
    place: S3Place,
    kind: RuleKind,
    document: string | undefined,
    shown: string,
  ) =>
    context.changes.ofContainer(sessionOf(request).store, place.name, async () => {
      const present = await documentOf(place, kind);
      const what = kind === 'cors' ? 'the CORS rules' : 'the lifecycle rules';
      expectShown(shown, digestOf(present), what, rulesIn(present));
      await setDocument(place, kind, document);
    });

  app.get('/api/files/lifecycle', reads, async (request): Promise<LifecycleView> => {
    const { name } = parse(namedContainer, request.query);
    const document = await documentOf(await expectS3Place(sessionOf(request), name), 'lifecycle');
    const rules = document === undefined ? [] : rulesOf(parseLifecycle(document));
    return { digest: digestOf(document), rules };
  });

  const expires = { config: { access: 'manage', audits: 'files.lifecycle' } } as const;
  app.put('/api/files/lifecycle', expires, async (request, reply) => {
    const { name, rules, was: shown } = parse(SAVE_LIFECYCLE, request.body);
    const place = await expectS3Place(sessionOf(request), name);
    const details = { rules: rules.length, ids: rules.slice(0, 10).map(({ id }) => id) };
    const document =
      rules.length === 0 ? undefined : renderLifecycleConfiguration(configurationOf(rules));
    await audited(context, request, { action: 'files.lifecycle', target: name, details }, () =>
      save(request, place, 'lifecycle', document, shown),
    );
    return reply.status(204).send();
  });

  app.post('/api/files/lifecycle/preview', readRoute('read'), async (request, reply) => {
    const { name, rules } = parse(LIFECYCLE, request.body);
    const session = sessionOf(request);
    const place = await expectS3Place(session, name);
    // As S3 would read it: a rule that it refuses has no preview.
    const configuration =
      rules.length === 0
        ? { rules: [] }
        : parseLifecycle(renderLifecycleConfiguration(configurationOf(rules)));
    const job = context.jobs.start(session, 'lifecycle_preview', (control) =>
      previewLifecycle(place, configuration, context.now(), control),
    );
    return reply.status(202).send({ job_id: job.id });
  });

  app.get('/api/files/cors', reads, async (request): Promise<CorsView> => {
    const { name } = parse(namedContainer, request.query);
    const document = await documentOf(await expectS3Place(sessionOf(request), name), 'cors');
    const rules = document === undefined ? [] : corsRulesOf(parseCors(document));
    return { digest: digestOf(document), rules };
  });

  const shares = { config: { access: 'manage', audits: 'files.cors' } } as const;
  app.put('/api/files/cors', shares, async (request, reply) => {
    const { name, rules, was: shown } = parse(CORS, request.body);
    const place = await expectS3Place(sessionOf(request), name);
    const origins = rules.flatMap((rule) => rule.origins).slice(0, 10);
    const details = { rules: rules.length, origins };
    const document =
      rules.length === 0 ? undefined : renderCorsConfiguration(corsConfigurationOf(rules));
    await audited(context, request, { action: 'files.cors', target: name, details }, () =>
      save(request, place, 'cors', document, shown),
    );
    return reply.status(204).send();
  });

  /** Which rule decides about a request of a page elsewhere: the first one that lets it in. */
  app.post('/api/files/cors/preview', readRoute('read'), (request): CorsVerdict => {
    const { rules, origin, method, headers } = parse(CORS_TEST, request.body);
    if (rules.length === 0) return { rule: null };
    const configuration = parseCors(renderCorsConfiguration(corsConfigurationOf(rules)));
    const requestedHeaders = headers.map((name) => name.toLowerCase());
    const match = matchCors(configuration, { origin, method, requestedHeaders });
    return { rule: match === undefined ? null : configuration.rules.indexOf(match.rule) };
  });
}

function digestOf(document: string | undefined): string {
  return document === undefined ? 'none' : hash('sha256', document);
}

/** How many rules there are, and the first of their names. */
function rulesIn(document = ''): string {
  const count = document.split('</Rule>').length + document.split('</CORSRule>').length - 2;
  const names = [...document.matchAll(/<ID>([^<]{1,100})<\/ID>/g)].slice(0, 5).map(([, id]) => id);
  const named = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `${count === 1 ? 'one rule' : `${count} rules`}${named}`;
}

/** @returns undefined where the bucket has none */
async function documentOf({ s3, name: bucket }: S3Place, kind: RuleKind) {
  return s3.readText('GET', { bucket, query: { [kind]: '' } }).catch(orNone);
}

async function setDocument(
  { s3, name: bucket }: S3Place,
  kind: RuleKind,
  body: string | undefined,
): Promise<void> {
  const place = { bucket, query: { [kind]: '' } };
  const work =
    body === undefined
      ? s3.do([204], 'DELETE', place)
      : s3.do([200, 204], 'PUT', { ...place, body });
  await work.catch(s3Failure);
}
