import { isLegalHold, type LegalHold } from '../rules/object-lock/retention.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { parseXml, requiredChildText } from './parse.js';
import { onlyChildren } from './structure.js';

/** The body of PutObjectLegalHold. @throws S3Error `MalformedXML` */
export function parseLegalHold(body: Buffer): LegalHold {
  const root = parseXml(body, 'LegalHold', XML_BOUNDS.LegalHold);
  onlyChildren(root, 'Status');
  const status = requiredChildText(root, 'Status').trim();
  if (!isLegalHold(status)) throw new S3Error('MalformedXML');
  return status;
}

/** The answer of GetObjectLegalHold. */
export function renderLegalHold(legalHold: LegalHold): string {
  return xmlDocument(
    `<LegalHold xmlns="${S3_NAMESPACE}">${element('Status', legalHold)}</LegalHold>`,
  );
}
