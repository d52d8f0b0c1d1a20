import type { HeaderList } from '../http/exchange.js';

/**
 * The one table of error codes: each code of the protocol with its status and default message.
 *
 * Messages are AWS's own, since users search for them. docs/s3-errors.md says when each code is
 * answered; test/s3/errors.test.ts holds the two together, and finds codes that nothing uses. Where SPEC.md 7.2 names a status, it
 * wins over AWS's (`InvalidObjectState` is 400 here).
 */

interface ErrorEntry {
  /** The status of the HTTP response. */
  readonly status: number;
  /** Used when the thrower gave none. */
  readonly message: string;
}

const ERRORS = {
  AccessDenied: { status: 403, message: 'Access Denied' },
  AccessForbidden: { status: 403, message: 'CORSResponse: This CORS request is not allowed.' },
  AuthorizationHeaderMalformed: {
    status: 400,
    message: 'The authorization header that you provided is not valid.',
  },
  AuthorizationQueryParametersError: {
    status: 400,
    message:
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  },
  BadDigest: {
    status: 400,
    message: 'The Content-MD5 you specified did not match what we received.',
  },
  BadRequest: { status: 400, message: 'The request cannot be carried out as it is.' },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'Your previous request to create the named bucket succeeded and you already own it.',
  },
  BucketNotEmpty: { status: 409, message: 'The bucket you tried to delete is not empty' },
  EntityTooLarge: {
    status: 400,
    message: 'Your proposed upload exceeds the maximum allowed size',
  },
  EntityTooSmall: {
    status: 400,
    message: 'Your proposed upload is smaller than the minimum allowed size',
  },
  IllegalLocationConstraintException: {
    status: 400,
    message:
      'The unspecified location constraint is incompatible for the region specific endpoint this request was sent to.',
  },
  IllegalVersioningConfigurationException: {
    status: 400,
    message: 'The Versioning element must be specified',
  },
  IncompleteBody: {
    status: 400,
    message: 'You did not provide the number of bytes specified by the Content-Length HTTP header',
  },
  InsufficientStorage: {
    status: 507,
    message: 'The storage has no room for this upload.',
  },
  InternalError: {
    status: 500,
    message: 'We encountered an internal error. Please try again.',
  },
  InvalidAccessKeyId: {
    status: 403,
    message: 'The AWS Access Key Id you provided does not exist in our records.',
  },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.' },
  InvalidBucketState: {
    status: 409,
    message: 'The request is not valid for the current state of the bucket.',
  },
  InvalidChunkSizeError: {
    status: 403,
    message: 'Only the last chunk is allowed to have a size less than 8192 bytes',
  },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified was invalid.' },
  InvalidLocationConstraint: {
    status: 400,
    message: 'The specified location-constraint is not valid',
  },
  InvalidObjectState: {
    status: 400,
    message: "The operation is not valid for the object's storage class",
  },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartNumber: { status: 416, message: 'The requested partnumber is not satisfiable' },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order.  Parts must be ordered by part number.',
  },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidStorageClass: {
    status: 400,
    message: 'The storage class you specified is not valid',
  },
  InvalidTag: { status: 400, message: 'The tag provided was not a valid tag.' },
  InvalidToken: {
    status: 400,
    message: 'The provided token is malformed or otherwise invalid.',
  },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  MalformedACLError: {
    status: 400,
    message:
      'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MalformedTrailerError: {
    status: 400,
    message:
      'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  },
  MalformedXML: {
    status: 400,
    message:
      'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MaxMessageLengthExceeded: { status: 400, message: 'Your request was too big.' },
  MetadataTooLarge: {
    status: 400,
    message: 'Your metadata headers exceed the maximum allowed metadata size',
  },
  MethodNotAllowed: {
    status: 405,
    message: 'The specified method is not allowed against this resource.',
  },
  MissingContentLength: {
    status: 411,
    message: 'You must provide the Content-Length HTTP header.',
  },
  MissingSecurityHeader: { status: 400, message: 'Your request was missing a required header' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchCORSConfiguration: {
    status: 404,
    message: 'The CORS configuration does not exist',
  },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
  NoSuchLifecycleConfiguration: {
    status: 404,
    message: 'The lifecycle configuration does not exist',
  },
  NoSuchObjectLockConfiguration: {
    status: 404,
    message: 'The specified object does not have a ObjectLock configuration',
  },
  NoSuchTagSet: { status: 404, message: 'The TagSet does not exist' },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NoSuchVersion: { status: 404, message: 'The specified version does not exist.' },
  NotImplemented: {
    status: 501,
    message: 'A header you provided implies functionality that is not implemented',
  },
  NotS3Request: { status: 412, message: 'The request is not an S3 request.' },
  ObjectLockConfigurationNotFoundError: {
    status: 404,
    message: 'Object Lock configuration does not exist for this bucket',
  },
  OperationAborted: {
    status: 409,
    message:
      'A conflicting conditional operation is currently in progress against this resource. Please try again.',
  },
  PreconditionFailed: {
    status: 412,
    message: 'At least one of the pre-conditions you specified did not hold',
  },
  RequestHeaderSectionTooLarge: {
    status: 400,
    message: 'Your request header section exceeds the maximum allowed request header section size.',
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  ServiceUnavailable: {
    status: 503,
    message: 'The service is unable to handle your request. Please try again.',
  },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  SlowDown: { status: 503, message: 'Please reduce your request rate.' },
  UnexpectedContent: { status: 400, message: 'This request does not support content' },
  UnresolvableGrantByEmailAddress: {
    status: 400,
    message: 'The e-mail address you provided does not match any account on record.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Every code, in alphabetical order. */
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** Status and default message of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return ERRORS[code];
}

/** Extra children of `<Error>`, in order, e.g. `{ Key: 'a/b', BucketName: 'b' }`. */
export type ErrorDetails = Readonly<Record<string, string>>;

/** `Key` where there is one (SPEC.md 7.1), and the bucket it was looked for in. */
export function resourceDetails(bucket: string, key: string): ErrorDetails {
  if (bucket === '') return {};
  return key === '' ? { BucketName: bucket } : { BucketName: bucket, Key: key };
}

interface S3ErrorOptions extends ErrorOptions {
  /** Sent with the answer: `Allow` with a 405, `Content-Range` with a 416. */
  readonly headers?: HeaderList | undefined;
}

/**
 * An answer of the protocol that is not a success: a code of the table in errors.ts, which gives
 * status and default message, and what the particular case adds.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly headers: HeaderList;

  constructor(
    readonly code: ErrorCode,
    /** Replaces the table's message. */
    message?: string,
    readonly details: ErrorDetails = {},
    options: S3ErrorOptions = {},
  ) {
    super(message ?? '', options);
    this.headers = options.headers ?? [];
  }
}
