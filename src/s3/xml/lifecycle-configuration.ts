import { randomUUID } from 'node:crypto';
import {
  LIFECYCLE_RULES_MAX,
  type LifecycleConfiguration,
  type LifecycleExpiration,
  type LifecycleRule,
  type LifecycleTime,
  type LifecycleTransition,
  type NoncurrentVersionExpiration,
  type NoncurrentVersionTransition,
} from '../rules/lifecycle/configuration.js';
import { formatIsoDate } from '../rules/dates.js';
import { parseIsoDate } from '../rules/iso-date.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { parseLifecycleFilter, renderLifecycleFilter } from './lifecycle-filter.js';
import { S3_NAMESPACE } from './namespace.js';
import {
  optionalChild,
  optionalChildText,
  parseXml,
  requiredChildText,
  type XmlElement,
} from './parse.js';
import { childrenOf, integerOf, onlyChildren } from './structure.js';

/** `<LifecycleConfiguration>`: in requests and answers, and the form in which it is kept. */

export function renderLifecycleConfiguration({ rules }: LifecycleConfiguration): string {
  return xmlDocument(
    `<LifecycleConfiguration xmlns="${S3_NAMESPACE}">` +
      `${rules.map(renderRule).join('')}</LifecycleConfiguration>`,
  );
}

function renderRule(rule: LifecycleRule): string {
  const { expiration, noncurrentVersionExpiration, abortDaysAfterInitiation } = rule;
  return (
    `<Rule>${element('ID', rule.id)}${renderLifecycleFilter(rule.filter)}` +
    `<Status>${rule.enabled ? 'Enabled' : 'Disabled'}</Status>` +
    (expiration === undefined ? '' : renderExpiration(expiration)) +
    rule.transitions.map(renderTransition).join('') +
    (noncurrentVersionExpiration === undefined
      ? ''
      : renderNoncurrent('NoncurrentVersionExpiration', noncurrentVersionExpiration)) +
    rule.noncurrentVersionTransitions
      .map((transition) => renderNoncurrent('NoncurrentVersionTransition', transition))
      .join('') +
    (abortDaysAfterInitiation === undefined
      ? ''
      : `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${abortDaysAfterInitiation}` +
        '</DaysAfterInitiation></AbortIncompleteMultipartUpload>') +
    '</Rule>'
  );
}

function renderExpiration(expiration: LifecycleExpiration): string {
  const inner =
    'expiredObjectDeleteMarker' in expiration
      ? element('ExpiredObjectDeleteMarker', String(expiration.expiredObjectDeleteMarker))
      : renderTime(expiration);
  return `<Expiration>${inner}</Expiration>`;
}

function renderTransition({ when, storageClass }: LifecycleTransition): string {
  return `<Transition>${renderTime(when)}${element('StorageClass', storageClass)}</Transition>`;
}

function renderNoncurrent(
  name: string,
  action: NoncurrentVersionExpiration | NoncurrentVersionTransition,
): string {
  const newer = action.newerNoncurrentVersions;
  return (
    `<${name}><NoncurrentDays>${action.noncurrentDays}</NoncurrentDays>` +
    (newer === undefined ? '' : `<NewerNoncurrentVersions>${newer}</NewerNoncurrentVersions>`) +
    ('storageClass' in action ? element('StorageClass', action.storageClass) : '') +
    `</${name}>`
  );
}

function renderTime(time: LifecycleTime): string {
  return 'days' in time ? `<Days>${time.days}</Days>` : `<Date>${formatIsoDate(time.date)}</Date>`;
}

/**
 * The structure of a document, of PutBucketLifecycleConfiguration or stored. Its values are checked
 * by {@link validateLifecycle}, in new documents alone: a stored one stays readable when the
 * configured storage classes change.
 *
 * @param newId - makes ids for rules without one
 * @throws S3Error `MalformedXML`; `MaxMessageLengthExceeded`
 */
export function parseLifecycleConfiguration(
  body: Buffer,
  newId: () => string = randomRuleId,
): LifecycleConfiguration {
  const root = parseXml(body, 'LifecycleConfiguration', XML_BOUNDS.LifecycleConfiguration);
  onlyChildren(root, 'Rule');
  const { length } = root.children;
  if (length === 0 || length > LIFECYCLE_RULES_MAX) throw new S3Error('MalformedXML');
  return { rules: root.children.map((rule) => parseRule(rule, newId)) };
}

/** A random id in AWS's form: 48 characters of base64. */
function randomRuleId(): string {
  return Buffer.from(randomUUID()).toString('base64');
}

function parseRule(rule: XmlElement, newId: () => string): LifecycleRule {
  onlyChildren(
    rule,
    'ID',
    'Prefix',
    'Filter',
    'Status',
    'Expiration',
    'Transition',
    'NoncurrentVersionExpiration',
    'NoncurrentVersionTransition',
    'AbortIncompleteMultipartUpload',
  );
  const id = optionalChildText(rule, 'ID')?.trim();
  const noncurrent = optionalChild(rule, 'NoncurrentVersionExpiration');
  const expiration = optionalChild(rule, 'Expiration');
  const abort = optionalChild(rule, 'AbortIncompleteMultipartUpload');
  return {
    id: id === undefined || id === '' ? newId() : id,
    enabled: parseStatus(requiredChildText(rule, 'Status').trim()),
    filter: parseLifecycleFilter(rule),
    expiration: expiration === undefined ? undefined : parseExpiration(expiration),
    transitions: childrenOf(rule, 'Transition').map(parseTransition),
    noncurrentVersionExpiration:
      noncurrent === undefined ? undefined : parseNoncurrentExpiration(noncurrent),
    noncurrentVersionTransitions: childrenOf(rule, 'NoncurrentVersionTransition').map(
      parseNoncurrentTransition,
    ),
    abortDaysAfterInitiation: abort === undefined ? undefined : parseAbort(abort),
  };
}

function parseStatus(text: string): boolean {
  if (text !== 'Enabled' && text !== 'Disabled') throw new S3Error('MalformedXML');
  return text === 'Enabled';
}

function parseExpiration(expiration: XmlElement): LifecycleExpiration {
  const marker = optionalChildText(expiration, 'ExpiredObjectDeleteMarker')?.trim();
  if (marker === undefined) return parseTime(expiration);
  onlyChildren(expiration, 'ExpiredObjectDeleteMarker');
  if (marker !== 'true' && marker !== 'false') throw new S3Error('MalformedXML');
  return { expiredObjectDeleteMarker: marker === 'true' };
}

function parseTransition(transition: XmlElement): LifecycleTransition {
  const storageClass = requiredChildText(transition, 'StorageClass').trim();
  return { when: parseTime(transition, 'StorageClass'), storageClass };
}

/** Exactly one of `<Days>` and `<Date>`, next to `others`. */
function parseTime(parent: XmlElement, ...others: readonly string[]): LifecycleTime {
  onlyChildren(parent, 'Days', 'Date', ...others);
  const days = optionalChildText(parent, 'Days');
  const date = optionalChildText(parent, 'Date');
  if (days !== undefined && date === undefined) return { days: integerOf(days) };
  const time = days === undefined && date !== undefined ? parseIsoDate(date.trim()) : undefined;
  if (time === undefined) throw new S3Error('MalformedXML');
  return { date: time };
}

function parseNoncurrentExpiration(expiration: XmlElement): NoncurrentVersionExpiration {
  onlyChildren(expiration, 'NoncurrentDays', 'NewerNoncurrentVersions');
  return parseNoncurrent(expiration);
}

function parseNoncurrentTransition(transition: XmlElement): NoncurrentVersionTransition {
  onlyChildren(transition, 'NoncurrentDays', 'NewerNoncurrentVersions', 'StorageClass');
  const storageClass = requiredChildText(transition, 'StorageClass').trim();
  return { ...parseNoncurrent(transition), storageClass };
}

function parseNoncurrent(action: XmlElement): NoncurrentVersionExpiration {
  const newer = optionalChildText(action, 'NewerNoncurrentVersions');
  return {
    noncurrentDays: integerOf(requiredChildText(action, 'NoncurrentDays')),
    newerNoncurrentVersions: newer === undefined ? undefined : integerOf(newer),
  };
}

function parseAbort(abort: XmlElement): number {
  onlyChildren(abort, 'DaysAfterInitiation');
  return integerOf(requiredChildText(abort, 'DaysAfterInitiation'));
}
