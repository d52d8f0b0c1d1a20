import type { ErrorDetails } from '../errors.js';
import { escapeXml10, xmlDocument } from './escape.js';

export interface ErrorDocument {
  readonly code: string;
  readonly message: string;
  /** SPEC.md 7.1: in every error. */
  readonly requestId: string;
  readonly hostId: string;
  /** Further children, in order; their names are ours and need no escaping. */
  readonly details: ErrorDetails;
}

/** `<Error>`: SPEC.md 7.1, in AWS's order of elements. */
export function renderError(error: ErrorDocument): string {
  let details = '';
  for (const name in error.details) details += child(name, error.details[name] ?? '');
  return xmlDocument(
    `<Error>${child('Code', error.code)}${child('Message', error.message)}${details}` +
      `${child('RequestId', error.requestId)}${child('HostId', error.hostId)}</Error>`,
  );
}

/** Line feeds as they are, as AWS writes what was signed: no parser changes them in an element. */
function child(name: string, text: string): string {
  return `<${name}>${escapeXml10(text).replaceAll('&#10;', '\n')}</${name}>`;
}
