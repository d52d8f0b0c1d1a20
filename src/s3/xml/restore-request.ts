import { INT32_MAX, invalidArgument } from '../rules/query-parameters.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { optionalChild, optionalChildText, parseXml, requiredChildText } from './parse.js';
import { integerOf, onlyChildren } from './structure.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_RestoreObject.html */
export interface RestoreRequest {
  /** How long the object can be read: from 1 to {@link RESTORE_DAYS_MAX}. */
  readonly days: number;
}

/** 100 years; AWS names no limit. */
export const RESTORE_DAYS_MAX = 36_500;

/** Accepted, since clients send them, and without a meaning: a restore takes as long as it takes. */
const TIERS: ReadonlySet<string> = new Set(['Standard', 'Bulk', 'Expedited']);

/** Elements that ask for a query over the object rather than for its restore. */
const SELECT = ['Type', 'SelectParameters', 'OutputLocation'] as const;

/**
 * @throws S3Error `MalformedXML`; `InvalidArgument` for days out of range; `NotImplemented` for a
 *   query over an archived object
 */
export function parseRestoreRequest(body: Buffer): RestoreRequest {
  const root = parseXml(body, 'RestoreRequest', XML_BOUNDS.RestoreRequest);
  onlyChildren(root, 'Days', 'GlacierJobParameters', 'Tier', 'Description', ...SELECT);
  for (const name of SELECT) {
    if (optionalChild(root, name) !== undefined) throw selectNotImplemented(name);
  }
  const parameters = optionalChild(root, 'GlacierJobParameters');
  if (parameters !== undefined) {
    onlyChildren(parameters, 'Tier');
    requireTier(requiredChildText(parameters, 'Tier'));
  }
  requireTier(optionalChildText(root, 'Tier'));
  optionalChildText(root, 'Description');
  const days = integerOf(requiredChildText(root, 'Days'));
  requireDays(days);
  return { days };
}

function requireTier(tier: string | undefined): void {
  if (tier !== undefined && !TIERS.has(tier)) throw new S3Error('MalformedXML');
}

function requireDays(days: number): void {
  if (Math.abs(days) > INT32_MAX) throw new S3Error('MalformedXML');
  if (days >= 1 && days <= RESTORE_DAYS_MAX) return;
  const message = `Restoration days must be from 1 to ${RESTORE_DAYS_MAX}`;
  throw invalidArgument('Days', String(days), message);
}

function selectNotImplemented(element: string): S3Error {
  const message = 'A restore gives back the whole object; queries over it are not implemented.';
  return new S3Error('NotImplemented', message, { Element: element });
}
