import { S3Error } from '../../errors.js';
import { INT32_MAX, invalidArgument } from '../query-parameters.js';
import type { LifecycleRule, LifecycleTime } from './configuration.js';
import { DAY_MS } from './schedule.js';

/** Checks of single values, with AWS's answers. */

/** @throws S3Error `InvalidArgument`; `MalformedXML` over 32 bits */
export function requirePositive(name: string, action: string, value: number): void {
  if (value > INT32_MAX) throw new S3Error('MalformedXML');
  if (value > 0) return;
  const message = `'${name}' for ${action} action must be a positive integer`;
  throw invalidArgument(name, String(value), message);
}

/** @throws S3Error `InvalidArgument`; `MalformedXML` over 32 bits */
export function requireNonnegative(name: string, action: string, value: number): void {
  if (value > INT32_MAX) throw new S3Error('MalformedXML');
  if (value >= 0) return;
  throw invalidArgument(name, String(value), `'${name}' in ${action} action must be nonnegative`);
}

/** @throws S3Error `InvalidArgument` */
export function requireMidnight(date: number): void {
  if (date % DAY_MS === 0) return;
  throw invalidArgument('Date', new Date(date).toISOString(), "'Date' must be at midnight GMT");
}

/**
 * AWS documents at most 100 versions and takes 500; so does the gateway.
 * @throws S3Error `InvalidArgument`; `InvalidRequest` in a rule of version 1
 */
export function validateNewerVersions(
  { filter }: LifecycleRule,
  action: string,
  newer: number | undefined,
): void {
  if (newer === undefined) return;
  if (filter.form === 'prefix') {
    throw invalidRequest('NewerNoncurrentVersions element can only be used in Lifecycle V2.');
  }
  requirePositive('NewerNoncurrentVersions', action, newer);
}

/** Compares two times of the same kind. */
export function isLater(later: LifecycleTime, earlier: LifecycleTime): boolean {
  return timeValue(later) > timeValue(earlier);
}

export function timeText(time: LifecycleTime): string {
  return 'days' in time ? String(time.days) : new Date(time.date).toISOString();
}

/** The element that a time stands in. */
export function timeElement(time: LifecycleTime): 'Days' | 'Date' {
  return 'days' in time ? 'Days' : 'Date';
}

export function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', message);
}

/** A rule in a message, by what it is for: `prefix 'a/'`, `filter '(prefix=a/)'`. */
export function describeFilter({ filter }: LifecycleRule): string {
  if (filter.form === 'prefix') return `prefix '${filter.prefix ?? ''}'`;
  const parts = filter.tags.map(({ key, value }) => `tag=${key}:${value}`);
  if (filter.prefix !== undefined) parts.unshift(`prefix=${filter.prefix}`);
  if (filter.sizeGreaterThan !== undefined) {
    parts.push(`ObjectSizeGreaterThan=${filter.sizeGreaterThan}`);
  }
  if (filter.sizeLessThan !== undefined) parts.push(`ObjectSizeLessThan=${filter.sizeLessThan}`);
  return `filter '(${parts.join(' and ')})'`;
}

function timeValue(time: LifecycleTime): number {
  return 'days' in time ? time.days : time.date;
}
