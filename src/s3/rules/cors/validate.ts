import { S3Error } from '../../errors.js';
import { isAscii } from '../header-values.js';
import { invalidArgument } from '../query-parameters.js';
import {
  CORS_METHODS,
  type CorsConfiguration,
  type CorsMethod,
  type CorsRule,
} from './configuration.js';

/** A rule as a document has it, before its values are checked. */
export type UncheckedCorsRule = Omit<CorsRule, 'allowedMethods'> & {
  readonly allowedMethods: readonly string[];
};

const RULES_MAX = 100;
const ID_LENGTH_MAX = 255;

/**
 * Checks the values of rules whose structure is right.
 *
 * @throws S3Error `InvalidRequest` with AWS's message; `InvalidArgument` for an id over 255
 */
export function validateCors(rules: readonly UncheckedCorsRule[]): CorsConfiguration {
  if (rules.length > RULES_MAX) {
    throw invalid(
      `The number of CORS rules should not exceed allowed limit of ${RULES_MAX} rules.`,
    );
  }
  return { rules: rules.map(validateRule) };
}

function validateRule(rule: UncheckedCorsRule): CorsRule {
  if (rule.id !== undefined && rule.id.length > ID_LENGTH_MAX) {
    throw invalidArgument(
      'ID',
      rule.id,
      `ID length should not exceed allowed limit of ${ID_LENGTH_MAX}`,
    );
  }
  const allowedMethods = rule.allowedMethods.map(validateMethod);
  for (const origin of rule.allowedOrigins) oneWildcard('AllowedOrigin', origin);
  for (const header of rule.allowedHeaders) oneWildcard('AllowedHeader', header);
  for (const header of rule.exposeHeaders) validateExposed(header);
  return { ...rule, allowedMethods };
}

function validateMethod(method: string): CorsMethod {
  const known = CORS_METHODS.find((candidate) => candidate === method);
  if (known !== undefined) return known;
  throw invalid(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`);
}

function oneWildcard(element: string, pattern: string): void {
  if (pattern.indexOf('*') !== pattern.lastIndexOf('*')) {
    throw invalid(`${element} "${pattern}" can not have more than one wildcard.`);
  }
}

function validateExposed(header: string): void {
  if (header.includes('*')) {
    throw invalid(
      `ExposeHeader "${header}" contains wildcard. We currently do not support wildcard for ExposeHeader.`,
    );
  }
  // It is written into a header of every response.
  if (!isAscii(header)) throw invalidName(header);
}

/** RFC 9110 section 5.6.2; an empty text exposes nothing. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*$/;

/**
 * Checks the names that new rules expose: a browser takes a list with a false one for no list. Rules
 * that are stored may have such names from before.
 *
 * @throws S3Error `InvalidRequest`
 */
export function requireHeaderNames({ rules }: CorsConfiguration): void {
  for (const { exposeHeaders } of rules) {
    for (const header of exposeHeaders) if (!HEADER_NAME.test(header)) throw invalidName(header);
  }
}

function invalidName(header: string): S3Error {
  return invalid(`ExposeHeader "${header}" contains invalid character.`);
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidRequest', message);
}
