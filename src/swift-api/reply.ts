import type { ByteSource } from '../lib/cancellation.js';
import { STATUS_CODES } from 'node:http';

/** The answer to a request, before it becomes HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer | ByteSource | undefined;
  /**
   * The length of a stream if it is known; in an answer to HEAD, the length that GET would send.
   */
  readonly contentLength?: number | undefined;
}

export const HTML = 'text/html; charset=UTF-8';
export const TEXT = 'text/plain';

/** Swift says some things in words of its own: swift.common.swob.RESPONSE_REASONS. */
const REASONS: Readonly<Record<number, string>> = {
  412: 'Precondition Failed',
  416: 'Requested Range Not Satisfiable',
  413: 'Request Entity Too Large',
};

/** The sentence in the page of a status, as Swift has it. */
const SENTENCES: Readonly<Record<number, string>> = {
  202: 'The request is accepted for processing.',
  400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  401: 'This server could not verify that you are authorized to access the document you requested.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  405: 'The method is not allowed for this resource.',
  406: 'The resource is not available in a format acceptable to your browser.',
  408: 'The server has waited too long for the request to be sent by the client.',
  409: 'There was a conflict when trying to complete your request.',
  411: 'Content-Length header required.',
  412: 'A precondition for this request was not met.',
  413: 'The body of your request was too large for this server.',
  416: 'The Range requested is not available.',
  422: 'Unable to process the contained instructions',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  501: 'The requested method is not implemented by this server.',
  503: 'The server is currently unavailable. Please try again at a later time.',
  507: 'There was not enough space to save the resource.',
};

/** `404 Not Found`, as it stands in reports of bulk operations. */
export function statusLine(status: number): string {
  return `${status} ${reasonOf(status)}`;
}

function reasonOf(status: number): string {
  return REASONS[status] ?? STATUS_CODES[status] ?? '';
}

/** The page that Swift sends with a status of its own; empty where it sends none. */
export function pageOf(status: number): string {
  const sentence = SENTENCES[status];
  if (sentence === undefined) return '';
  return `<html><h1>${reasonOf(status)}</h1><p>${sentence}</p></html>`;
}

/** A status and nothing to tell but what it says itself. */
export function plainReply(status: number): Reply {
  return { status, headers: [['Content-Type', HTML]], body: pageOf(status) };
}
