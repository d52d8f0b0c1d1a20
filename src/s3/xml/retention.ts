import { formatIsoDate } from '../rules/dates.js';
import { parseDateTime } from '../rules/iso-date.js';
import { isRetentionMode, retainUntil, type Retention } from '../rules/object-lock/retention.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { optionalChildText, parseXml } from './parse.js';
import { onlyChildren } from './structure.js';

const DATE = 'RetainUntilDate';

/**
 * The body of PutObjectRetention.
 *
 * @param now - milliseconds since the epoch
 * @returns undefined to remove the retention, which an element without values asks for, as in AWS
 * @throws S3Error `MalformedXML`, also for half a retention and for a date that is not RFC 3339;
 *   `InvalidArgument` unless the date is in the future, by at most 100 years
 */
export function parseRetention(body: Buffer, now: number): Retention | undefined {
  const root = parseXml(body, 'Retention', XML_BOUNDS.Retention);
  onlyChildren(root, 'Mode', DATE);
  const mode = optionalChildText(root, 'Mode')?.trim() ?? '';
  const text = optionalChildText(root, DATE)?.trim() ?? '';
  if (mode === '' && text === '') return undefined;
  const date = parseDateTime(text);
  if (!isRetentionMode(mode) || date === undefined) throw new S3Error('MalformedXML');
  return { mode, retainUntil: retainUntil(date, now, { name: DATE, value: text }) };
}

/** The answer of GetObjectRetention. */
export function renderRetention(retention: Retention): string {
  return xmlDocument(
    `<Retention xmlns="${S3_NAMESPACE}">${element('Mode', retention.mode)}` +
      `<${DATE}>${formatIsoDate(retention.retainUntil)}</${DATE}></Retention>`,
  );
}
