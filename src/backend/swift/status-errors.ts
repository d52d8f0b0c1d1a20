import { BackendError, type BackendErrorCode } from '../errors.js';
import type { SwiftMethod, SwiftRequest, SwiftResponse } from './transport.js';

/**
 * The meaning of Swift's statuses that are no outcome of the call, as data. 404 on an object is
 * said to be the object's: Swift does not tell it from a missing container, so a caller that has to
 * know looks at the container. Outcomes (202 and 412 of a PUT, 304, 416) are never asked here.
 */

/** The kinds of calls that Swift's statuses mean different things for. */
export type SwiftCall =
  | 'account'
  | 'container_put'
  /** HEAD, POST and listings. */
  | 'container'
  | 'container_delete'
  /** GET, HEAD, POST and DELETE. */
  | 'object'
  /** PUT of a body, a link or a server-side copy. */
  | 'object_put'
  | 'manifest_put';

interface Meaning {
  readonly code: BackendErrorCode;
  /** Text that the answer's body must contain; the first match of several wins. */
  readonly says?: string;
  readonly why: string;
  /** The cluster asks to be left alone, also where it does not say for how long. */
  readonly fewerRequests?: true;
}

type Meanings = Readonly<Record<number, readonly Meaning[]>>;

const NAME_TOO_LONG: Meaning = {
  code: 'NameTooLong',
  // swift/common/constraints.py and swift/proxy/controllers/container.py.
  says: 'name length of',
  why: 'the name is longer than the cluster allows',
};
const NO_CONTAINER: Meaning = { code: 'NoSuchContainer', why: 'there is no such container' };
const NO_OBJECT: Meaning = { code: 'NoSuchObject', why: 'there is no such object' };
const REFUSED: Meaning = {
  code: 'Unavailable',
  why: "Swift refused the gateway's user: check swift_user, its key and its role .reseller_admin",
};
const OVER_QUOTA: Meaning = {
  code: 'QuotaExceeded',
  // swift/common/middleware/account_quotas.py and container_quotas.py, of all releases.
  says: 'quota',
  why: 'over a quota of the account or of the container',
};
const FULL: Meaning = { code: 'StorageFull', why: 'over a size limit, or out of room' };
const CHANGING: Meaning = {
  code: 'Unavailable',
  why: 'the cluster is in the middle of another change',
};
const BUSY: Meaning = {
  code: 'Unavailable',
  why: 'the cluster asks for fewer requests',
  fewerRequests: true,
};

const OF_ALL: Meanings = {
  400: [NAME_TOO_LONG, { code: 'Unsupported', why: 'the cluster does not take such a request' }],
  401: [REFUSED],
  403: [REFUSED],
  405: [{ code: 'Unsupported', why: 'the cluster does not allow this method' }],
  408: [{ code: 'Timeout', why: 'the cluster waited too long for the body' }],
  // X-Timestamp or a deletion in the same instant: it passes.
  409: [CHANGING],
  412: [{ code: 'Unsupported', why: 'the cluster does not take such a name' }],
  413: [OVER_QUOTA, FULL],
  414: [{ code: 'NameTooLong', why: 'the request line is longer than the cluster allows' }],
  422: [{ code: 'BodyMismatch', why: 'the body is not the one that was announced' }],
  429: [BUSY],
  431: [{ code: 'Unsupported', why: 'the metadata is more than the cluster takes' }],
  // The ratelimit middleware refuses: an account that is blocked (497), or one that is too fast
  // (498).
  497: [BUSY],
  498: [BUSY],
  499: [{ code: 'BodyMismatch', why: 'the body ended early' }],
  501: [{ code: 'Unsupported', why: 'the cluster cannot do this' }],
  507: [FULL],
};

const BY_CALL: Readonly<Record<SwiftCall, Meanings>> = {
  account: {
    404: [{ code: 'Unsupported', why: 'there is no such account, and Swift does not make one' }],
  },
  container_put: {
    403: [
      { code: 'StorageFull', says: 'Reached container limit', why: 'the account may have no more' },
      REFUSED,
    ],
    404: [{ code: 'Unsupported', why: 'there is no such account, and Swift does not make one' }],
  },
  container: { 404: [NO_CONTAINER] },
  container_delete: {
    404: [NO_CONTAINER],
    409: [{ code: 'ContainerNotEmpty', why: 'the container is not empty' }],
  },
  object: {
    404: [NO_OBJECT],
    409: [{ code: 'BrokenLink', says: 'symbolic link', why: 'links lead in a circle' }, CHANGING],
  },
  object_put: { 404: [NO_CONTAINER] },
  manifest_put: {
    400: [NAME_TOO_LONG, { code: 'SegmentMismatch', why: 'a segment is not as it should be' }],
    404: [NO_CONTAINER],
    409: [{ code: 'SegmentMismatch', why: 'a segment is not as it should be' }],
    422: [{ code: 'SegmentMismatch', why: 'the segments are not those that were announced' }],
  },
};

/**
 * @param subject what the call was about, for the operator, e.g. `PUT AUTH_test/photos/a`
 * @param detail the beginning of the answer's body, where Swift says why
 * @param retryAfter the answer's header of that name
 */
export function statusError(
  call: SwiftCall,
  status: number,
  subject: string,
  detail = '',
  retryAfter?: string,
): BackendError {
  const meaning = meaningOf(call, status, detail);
  const said = detail === '' ? '' : ` (${detail.trim().slice(0, DETAIL_CHARACTERS_MAX)})`;
  const retryAfterMs =
    readRetryAfter(retryAfter) ?? (meaning.fewerRequests === true ? Infinity : undefined);
  return new BackendError(meaning.code, `${subject}: ${status}, ${meaning.why}${said}`, {
    retryAfterMs,
  });
}

/** Seconds, or a date: RFC 9110, section 10.2.3. @returns milliseconds; undefined when neither */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\s*(\d{1,9})\s*$/.exec(value)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

/** Enough for Swift's own texts, which are one line. */
const DETAIL_CHARACTERS_MAX = 200;

function meaningOf(call: SwiftCall, status: number, detail: string): Meaning {
  for (const meanings of [BY_CALL[call][status], OF_ALL[status]]) {
    for (const meaning of meanings ?? []) {
      if (meaning.says === undefined) return meaning;
      if (detail.toLowerCase().includes(meaning.says.toLowerCase())) return meaning;
    }
  }
  if (status >= 500) return { code: 'Unavailable', why: 'the cluster cannot do it now' };
  return { code: 'Unavailable', why: 'an unexpected answer' };
}

/** Swift's own texts are a line or two; what is longer is of something in front of it. */
const TEXT_BYTES_MAX = 16_384;

/** An account, a container or an object. */
export type PathRef = Pick<SwiftRequest, 'account' | 'container' | 'object'>;

/** The error that an answer which is no outcome of the call stands for. */
export async function answerError(
  call: SwiftCall,
  method: SwiftMethod,
  { account, container, object }: PathRef,
  response: SwiftResponse,
): Promise<BackendError> {
  const path = [account, container, object].filter((each) => each !== undefined);
  const subject = `${method} ${path.join('/')}`;
  const { status, headers } = response;
  return statusError(call, status, subject, await textOf(response), headers.get('retry-after'));
}

/** Why a text cannot be read is of no interest beside what the status says. */
async function textOf(response: SwiftResponse): Promise<string> {
  try {
    return await response.text(TEXT_BYTES_MAX);
  } catch {
    return '';
  }
}
