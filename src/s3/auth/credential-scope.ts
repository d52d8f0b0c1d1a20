import type { ErrorDetails } from '../errors.js';

/** `<access key>/<YYYYMMDD>/<region>/s3/aws4_request`, taken apart. */
export interface CredentialScope {
  /** The whole of it, as sent (decoded). */
  readonly credential: string;
  readonly accessKey: string;
  /** `YYYYMMDD` */
  readonly date: string;
  readonly region: string;
  /** Everything but the access key: what is signed. */
  readonly scope: string;
}

/** Why a credential is refused: completes the sentence of the error that the caller throws. */
export interface CredentialProblem {
  readonly problem: string;
  readonly details: ErrorDetails;
}

const SERVICE = 's3';
const TERMINATOR = 'aws4_request';
const DATE_LENGTH = 8;
const NO_DETAILS: ErrorDetails = {};

const MALFORMED: CredentialProblem = {
  problem:
    'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
  details: NO_DETAILS,
};

/**
 * Parsed from its end, since an access key may contain slashes.
 * @param region the one region that is served
 */
export function parseCredential(
  credential: string,
  region: string,
): CredentialScope | CredentialProblem {
  const service = credential.lastIndexOf('/', credential.lastIndexOf('/') - 1);
  const beforeRegion = credential.lastIndexOf('/', service - 1);
  const beforeDate = credential.lastIndexOf('/', beforeRegion - 1);
  // A negative start finds a slash at 0 again: an empty access key, and too few slashes, end here.
  if (beforeDate <= 0 || beforeDate >= beforeRegion || beforeRegion >= service) return MALFORMED;
  const scope: CredentialScope = {
    credential,
    accessKey: credential.slice(0, beforeDate),
    date: credential.slice(beforeDate + 1, beforeRegion),
    region: credential.slice(beforeRegion + 1, service),
    scope: credential.slice(beforeDate + 1),
  };
  const rest = credential.slice(service + 1);
  return problemOf(scope, rest, region) ?? scope;
}

function problemOf(
  scope: CredentialScope,
  rest: string,
  region: string,
): CredentialProblem | undefined {
  if (scope.date.length !== DATE_LENGTH) {
    return problem(
      `incorrect date format "${scope.date}". This date must be in the format "yyyyMMdd".`,
    );
  }
  if (rest !== `${SERVICE}/${TERMINATOR}`) {
    const slash = rest.indexOf('/');
    return rest.startsWith(`${SERVICE}/`)
      ? problem(
          `incorrect terminal "${rest.slice(slash + 1)}". This endpoint uses "${TERMINATOR}".`,
        )
      : problem(
          `incorrect service "${rest.slice(0, slash)}". This endpoint belongs to "${SERVICE}".`,
        );
  }
  if (scope.region !== region) {
    return {
      problem: `the region '${scope.region}' is wrong; expecting '${region}'`,
      details: { Region: region },
    };
  }
  return undefined;
}

/** The date of the scope must be the day of the request's own date. */
export function dateProblem(
  scope: CredentialScope,
  amzDate: string,
): CredentialProblem | undefined {
  const day = amzDate.slice(0, DATE_LENGTH);
  return scope.date === day
    ? undefined
    : problem(
        `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${day}".`,
      );
}

function problem(text: string): CredentialProblem {
  return { problem: text, details: NO_DETAILS };
}
