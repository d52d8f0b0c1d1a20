import type { CorsConfiguration, CorsRule } from '../rules/cors/configuration.js';
import { validateCors, type UncheckedCorsRule } from '../rules/cors/validate.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, optionalElement, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { optionalChildText, parseXml, type XmlElement } from './parse.js';
import { childrenOf, onlyChildren } from './structure.js';

/** `<CORSConfiguration>`: the rules in requests and answers, and the form in which they are kept. */

/** Seconds; a browser needs no more than 32 bits. */
const MAX_AGE_MAX = 2_147_483_647;

const RULE_CHILDREN = [
  'ID',
  'AllowedOrigin',
  'AllowedMethod',
  'AllowedHeader',
  'ExposeHeader',
  'MaxAgeSeconds',
];

export function renderCorsConfiguration({ rules }: CorsConfiguration): string {
  return xmlDocument(
    `<CORSConfiguration xmlns="${S3_NAMESPACE}">${rules.map(renderRule).join('')}</CORSConfiguration>`,
  );
}

function renderRule(rule: CorsRule): string {
  return (
    `<CORSRule>${optionalElement('ID', rule.id)}` +
    elements('AllowedMethod', rule.allowedMethods) +
    elements('AllowedOrigin', rule.allowedOrigins) +
    elements('AllowedHeader', rule.allowedHeaders) +
    elements('ExposeHeader', rule.exposeHeaders) +
    `${optionalElement('MaxAgeSeconds', rule.maxAgeSeconds?.toFixed())}</CORSRule>`
  );
}

function elements(name: string, texts: readonly string[]): string {
  return texts.map((text) => element(name, text)).join('');
}

/**
 * The body of PutBucketCors, or what is stored of it. The structure of all rules is looked at
 * before the values of any.
 *
 * @throws S3Error `MalformedXML` for what is no such document; `MaxMessageLengthExceeded` over
 *   64 KiB; and as {@link validateCors}
 */
export function parseCorsConfiguration(body: Buffer): CorsConfiguration {
  const root = parseXml(body, 'CORSConfiguration', XML_BOUNDS.CORSConfiguration);
  if (root.children.length === 0) throw new S3Error('MalformedXML');
  return validateCors(root.children.map(parseRule));
}

function parseRule(rule: XmlElement): UncheckedCorsRule {
  if (rule.name !== 'CORSRule') throw new S3Error('MalformedXML');
  onlyChildren(rule, ...RULE_CHILDREN);
  const allowedOrigins = texts(rule, 'AllowedOrigin');
  const allowedMethods = texts(rule, 'AllowedMethod');
  if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw new S3Error('MalformedXML');
  const maxAge = optionalChildText(rule, 'MaxAgeSeconds');
  return {
    id: optionalChildText(rule, 'ID'),
    allowedOrigins,
    allowedMethods,
    allowedHeaders: texts(rule, 'AllowedHeader'),
    exposeHeaders: texts(rule, 'ExposeHeader'),
    maxAgeSeconds: maxAge === undefined ? undefined : parseMaxAge(maxAge.trim()),
  };
}

function texts(rule: XmlElement, name: string): string[] {
  return childrenOf(rule, name).map(({ text }) => text.trim());
}

function parseMaxAge(text: string): number {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MAX_AGE_MAX)) throw new S3Error('MalformedXML');
  return seconds;
}
