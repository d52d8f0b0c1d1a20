import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { etagListMatches, singleEtag } from './etags.js';
import { parseRequestDate } from './request-dates.js';

/** Conditional reads: GetObject and HeadObject. Writes are in write-conditions.ts. */

/** The validators that conditions are compared with. */
export interface Validators {
  /** Unquoted. */
  readonly etag: string;
  /** Milliseconds since the epoch; compared in whole seconds, as HTTP dates have no more. */
  readonly lastModified: number;
}

export type ReadOutcome = 'proceed' | 'not_modified' | 'precondition_failed';

/**
 * Decides a conditional read, in the order of RFC 9110 section 13.2.2, which is also AWS's:
 * If-Match decides and silences If-Unmodified-Since; If-None-Match decides and silences
 * If-Modified-Since; a failed precondition (412) wins over an unchanged object (304).
 *
 * Dates that are none are ignored, and so is an If-Modified-Since in the future of `now` (ms).
 */
export function evaluateReadConditions(
  headers: HeaderMap,
  current: Validators,
  now: number,
): ReadOutcome {
  const ifMatch = headers.get('if-match');
  if (ifMatch !== undefined) {
    if (!etagListMatches(ifMatch, current.etag, 'strong')) return 'precondition_failed';
  } else if (modifiedSince(headers.get('if-unmodified-since'), current) === true) {
    return 'precondition_failed';
  }

  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== undefined) {
    return etagListMatches(ifNoneMatch, current.etag, 'weak') ? 'not_modified' : 'proceed';
  }
  const unmodified = modifiedSince(headers.get('if-modified-since'), current, now) === false;
  return unmodified ? 'not_modified' : 'proceed';
}

/** The answer to `precondition_failed`, naming the condition as AWS does. */
export function preconditionFailed(headers: HeaderMap): S3Error {
  const condition = headers.has('if-match') ? 'If-Match' : 'If-Unmodified-Since';
  return new S3Error('PreconditionFailed', undefined, { Condition: condition });
}

/**
 * Whether a Range header counts: `If-Range` limits it to an object that has not changed, by strong
 * ETag or exact date (RFC 9110 section 13.1.5). A client that resumes would mix two objects if the
 * header were ignored.
 */
export function rangeApplies(headers: HeaderMap, current: Validators): boolean {
  const value = headers.get('if-range');
  if (value === undefined) return true;
  const date = parseRequestDate(value);
  if (date !== undefined) return date === wholeSeconds(current.lastModified);
  return singleEtag(value) === current.etag;
}

/** Undefined when the header is absent, no date, or later than `latest`. */
function modifiedSince(
  value: string | undefined,
  current: Validators,
  latest = Number.POSITIVE_INFINITY,
): boolean | undefined {
  if (value === undefined) return undefined;
  const date = parseRequestDate(value);
  if (date === undefined || date > latest) return undefined;
  return wholeSeconds(current.lastModified) > date;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
