import { invalidArgument } from '../query-parameters.js';
import type { Tag } from '../tagging.js';
import { invalidRequest } from './checks.js';
import type { LifecycleConfiguration, LifecycleFilter, LifecycleRule } from './configuration.js';
import { validateActions } from './validate-actions.js';

/** The checks of a new configuration beyond its structure, in AWS's order, codes and words. */

const ID_LENGTH_MAX = 255;
const PREFIX_BYTES_MAX = 1024;
const TAG_KEY_LENGTH_MAX = 128;
const TAG_VALUE_LENGTH_MAX = 256;
/** Bytes. AWS's number, which its message for sizes names. */
const SIZE_MAX = 1_099_511_627_776_000;

/**
 * @param storageClasses - the configured ones, warmer ones first
 * @throws S3Error `InvalidArgument`, `InvalidRequest`, `InvalidStorageClass`, `MalformedXML`
 */
export function validateLifecycle(
  { rules }: LifecycleConfiguration,
  storageClasses: readonly string[],
): void {
  validateIds(rules);
  validateForms(rules);
  for (const rule of rules) {
    validateFilter(rule.filter);
    validateActions(rule, storageClasses);
  }
  validateOverlaps(rules);
}

function validateIds(rules: readonly LifecycleRule[]): void {
  const seen = new Set<string>();
  for (const { id } of rules) {
    if (id.length > ID_LENGTH_MAX) {
      throw invalidArgument(
        'ID',
        id,
        `ID length should not exceed allowed limit of ${ID_LENGTH_MAX}`,
      );
    }
    if (seen.has(id)) {
      throw invalidArgument(
        'ID',
        id,
        'Rule ID must be unique. Found same ID for more than one rule',
      );
    }
    seen.add(id);
  }
}

/** A configuration is of version 1 or 2, not of both. */
function validateForms(rules: readonly LifecycleRule[]): void {
  const first = rules[0]?.filter.form;
  if (rules.every(({ filter }) => filter.form === first)) return;
  throw invalidRequest(
    first === 'prefix'
      ? 'Filter element can only be used in Lifecycle V2.'
      : 'Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
  );
}

function validateFilter(filter: LifecycleFilter): void {
  if (filter.prefix !== undefined && Buffer.byteLength(filter.prefix) > PREFIX_BYTES_MAX) {
    throw invalidRequest(`The maximum size of a prefix is ${PREFIX_BYTES_MAX}.`);
  }
  validateTags(filter.tags);
  const { sizeGreaterThan: greater, sizeLessThan: less } = filter;
  validateSize('ObjectSizeGreaterThan', greater, 0);
  validateSize('ObjectSizeLessThan', less, 1);
  if (greater !== undefined && less !== undefined && less <= greater) {
    throw invalidRequest(
      "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
    );
  }
}

function validateSize(name: string, size: number | undefined, min: number): void {
  if (size === undefined || (size >= min && size <= SIZE_MAX)) return;
  throw invalidRequest(`'${name}' should be between ${min} and ${SIZE_MAX}.`);
}

function validateTags(tags: readonly Tag[]): void {
  const keys = new Set<string>();
  for (const { key, value } of tags) {
    if (key === '' || key.length > TAG_KEY_LENGTH_MAX) {
      throw invalidRequest(`A Tag's Key must be a length between 1 and ${TAG_KEY_LENGTH_MAX}.`);
    }
    if (value.length > TAG_VALUE_LENGTH_MAX) {
      throw invalidRequest(`A Tag's Value must be a length between 0 and ${TAG_VALUE_LENGTH_MAX}.`);
    }
    if (keys.has(key)) throw invalidRequest('Duplicate Tag Keys are not allowed.');
    keys.add(key);
  }
}

const ACTION_TYPES: readonly (readonly [name: string, has: (rule: LifecycleRule) => boolean])[] = [
  ['Expiration', ({ expiration }) => expiration !== undefined],
  ['Transition', ({ transitions }) => transitions.length > 0],
  ['NoncurrentVersionExpiration', (rule) => rule.noncurrentVersionExpiration !== undefined],
  ['NoncurrentVersionTransition', (rule) => rule.noncurrentVersionTransitions.length > 0],
  ['AbortIncompleteMultipartUpload', (rule) => rule.abortDaysAfterInitiation !== undefined],
];

/** Rules of version 1 must not overlap; those of version 2 may, and conflicts are resolved. */
function validateOverlaps(rules: readonly LifecycleRule[]): void {
  if (rules[0]?.filter.form !== 'prefix') return;
  for (const [name, has] of ACTION_TYPES) {
    const prefixes = rules.filter(has).map(({ filter }) => filter.prefix ?? '');
    // A prefix sorts right before what begins with it.
    prefixes.sort();
    prefixes.forEach((prefix, index) => {
      const next = prefixes[index + 1];
      if (next?.startsWith(prefix) !== true) return;
      throw invalidRequest(
        `Found overlapping prefixes '${prefix}' and '${next}' for same action type '${name}'`,
      );
    });
  }
}
