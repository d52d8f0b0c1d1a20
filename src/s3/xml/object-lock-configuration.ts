import {
  checkRetentionPeriod,
  type DefaultRetention,
  type ObjectLockConfiguration,
  type RetentionPeriod,
} from '../rules/object-lock/configuration.js';
import { isRetentionMode } from '../rules/object-lock/retention.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import {
  optionalChild,
  optionalChildText,
  parseXml,
  requiredChildText,
  type XmlElement,
} from './parse.js';
import { integerOf, onlyChildren, requiredChild } from './structure.js';

/** `<ObjectLockConfiguration>`: in requests and answers, and the form in which it is kept. */

/**
 * The document, of PutObjectLockConfiguration or stored: SPEC.md 2.3.
 *
 * @throws S3Error `MalformedXML`, also for a rule without default retention, as AWS;
 *   `InvalidArgument` for a period that is not positive or longer than 100 years
 */
export function parseObjectLockConfiguration(body: Buffer): ObjectLockConfiguration {
  const root = parseXml(body, 'ObjectLockConfiguration', XML_BOUNDS.ObjectLockConfiguration);
  onlyChildren(root, 'ObjectLockEnabled', 'Rule');
  if (requiredChildText(root, 'ObjectLockEnabled').trim() !== 'Enabled') {
    throw new S3Error('MalformedXML');
  }
  const rule = optionalChild(root, 'Rule');
  return rule === undefined ? {} : { defaultRetention: parseRule(rule) };
}

export function renderObjectLockConfiguration({
  defaultRetention,
}: ObjectLockConfiguration): string {
  const rule = defaultRetention === undefined ? '' : renderRule(defaultRetention);
  return xmlDocument(
    `<ObjectLockConfiguration xmlns="${S3_NAMESPACE}">` +
      `<ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}</ObjectLockConfiguration>`,
  );
}

function parseRule(rule: XmlElement): DefaultRetention {
  onlyChildren(rule, 'DefaultRetention');
  const retention = requiredChild(rule, 'DefaultRetention');
  onlyChildren(retention, 'Mode', 'Days', 'Years');
  const mode = requiredChildText(retention, 'Mode').trim();
  if (!isRetentionMode(mode)) throw new S3Error('MalformedXML');
  const period = parsePeriod(retention);
  checkRetentionPeriod(period);
  return { mode, period };
}

/** Exactly one of the two. */
function parsePeriod(retention: XmlElement): RetentionPeriod {
  const days = optionalChildText(retention, 'Days');
  const years = optionalChildText(retention, 'Years');
  if (days !== undefined && years === undefined) return { days: integerOf(days) };
  if (years !== undefined && days === undefined) return { years: integerOf(years) };
  throw new S3Error('MalformedXML');
}

function renderRule({ mode, period }: DefaultRetention): string {
  const rendered =
    'days' in period ? `<Days>${period.days}</Days>` : `<Years>${period.years}</Years>`;
  return `<Rule><DefaultRetention>${element('Mode', mode)}${rendered}</DefaultRetention></Rule>`;
}
