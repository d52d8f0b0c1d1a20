import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { evaluateReadConditions, type Validators } from './conditions.js';
import { invalidArgument } from './query-parameters.js';
import { parseRequestDate } from './request-dates.js';

/** The conditions of a read, to the names that they have on the source of a copy. */
const CONDITIONS = [
  ['if-match', 'x-amz-copy-source-If-Match'],
  ['if-none-match', 'x-amz-copy-source-If-None-Match'],
  ['if-modified-since', 'x-amz-copy-source-If-Modified-Since'],
  ['if-unmodified-since', 'x-amz-copy-source-If-Unmodified-Since'],
] as const;

type ReadCondition = (typeof CONDITIONS)[number][0];

const DATES: ReadonlySet<string> = new Set(['if-modified-since', 'if-unmodified-since']);

const NAMES: ReadonlyMap<string, string> = new Map(CONDITIONS);

/**
 * Holds `x-amz-copy-source-if-*` against the source of a copy. Their precedence is that of reads
 * (CopyObject in the Amazon S3 API Reference): If-Match silences If-Unmodified-Since, If-None-Match
 * silences If-Modified-Since. A copy has no "not modified": every failure is 412.
 *
 * @param now milliseconds since the epoch
 * @throws S3Error `PreconditionFailed`, naming the condition; `InvalidArgument` for a date that cannot be
 *   read: a read may go on without it, a write would do what the client wanted to prevent
 */
export function requireCopyConditions(headers: HeaderMap, source: Validators, now: number): void {
  const conditions = readConditions(headers);
  if (conditions.size === 0) return;
  switch (evaluateReadConditions(conditions, source, now)) {
    case 'proceed':
      return;
    case 'precondition_failed':
      throw failed(conditions.has('if-match') ? 'if-match' : 'if-unmodified-since');
    case 'not_modified':
      throw failed(conditions.has('if-none-match') ? 'if-none-match' : 'if-modified-since');
  }
}

function readConditions(headers: HeaderMap): Map<ReadCondition, string> {
  const conditions = new Map<ReadCondition, string>();
  for (const [condition, name] of CONDITIONS) {
    const value = headers.get(name.toLowerCase());
    if (value === undefined) continue;
    if (DATES.has(condition) && parseRequestDate(value) === undefined) {
      throw invalidArgument(name, value, 'The date in this header cannot be read.');
    }
    conditions.set(condition, value);
  }
  return conditions;
}

function failed(condition: ReadCondition): S3Error {
  return new S3Error('PreconditionFailed', undefined, { Condition: NAMES.get(condition) ?? '' });
}
