import type { HeaderList } from '../../../http/exchange.js';
import { encodeUriComponentAws } from '../../../lib/uri.js';
import { formatHttpDate } from '../dates.js';
import type { Scheduled } from './actions.js';

/** Headers that tell clients what lifecycle rules will do. */

/**
 * The expiration header of PutObject, CopyObject, GetObject and HeadObject. AWS sends it with
 * CompleteMultipartUpload too, whose headers leave here before the object is there.
 */
export function expirationHeaders(expiration: Scheduled | undefined): HeaderList {
  if (expiration === undefined) return [];
  const date = formatHttpDate(expiration.at);
  const value = `expiry-date="${date}", rule-id="${headerText(expiration.ruleId)}"`;
  return [['x-amz-expiration', value]];
}

/** The abort headers of CreateMultipartUpload and ListParts. */
export function abortHeaders(abort: Scheduled | undefined): HeaderList {
  if (abort === undefined) return [];
  return [
    ['x-amz-abort-date', formatHttpDate(abort.at)],
    ['x-amz-abort-rule-id', headerText(abort.ruleId)],
  ];
}

/** Characters that cannot stand between quotes in a header, or are not ASCII. */
const UNSAFE = /[^\x20\x21\x23-\x7e]/gu;

/**
 * AWS documents that ids are URL-encoded, and sends them as they are, spaces included. The gateway
 * does the same, except for characters that a header cannot carry.
 */
function headerText(id: string): string {
  return id.replaceAll(UNSAFE, encodeUriComponentAws);
}
