import { by, del, get, head, post, put, row, unsigned, type ErrorRow } from './rows.js';
import { BUCKET, OBJECT } from './wire.js';

/**
 * The codes and conditions of SPEC.md 7.2, with those of its other sections that end in them; those
 * of versions, locks and the cold tier are in version-rows.ts.
 */

const VERSION = '0123456789abcdef0123456789abcdef';
const COPY = `${BUCKET}/copy`;

const MISSING = [
  row(404, 'NoSuchBucket', get('/absent')),
  row(404, 'NoSuchBucket', head('/absent')),
  row(404, 'NoSuchBucket', del('/absent')),
  row(404, 'NoSuchBucket', get('/absent/key')),
  row(404, 'NoSuchBucket', put('/absent/key', 'body')),
  row(404, 'NoSuchBucket', post('/absent/key?uploads')),
  row(404, 'NoSuchKey', get(`${BUCKET}/%3Cmissing%26%22`)),
  row(404, 'NoSuchKey', head(`${BUCKET}/missing`)),
  row(404, 'NoSuchKey', get(`${BUCKET}/missing?tagging`)),
  row(404, 'NoSuchKey', get(`${BUCKET}/missing?acl`)),
  // The resource of the error is the source.
  row(404, 'NoSuchKey', put(COPY, '', { 'x-amz-copy-source': `${BUCKET}/missing` }), {
    details: { Key: 'missing' },
  }),
  row(404, 'NoSuchVersion', get(`${OBJECT}?versionId=${VERSION}`)),
  row(404, 'NoSuchVersion', head(`${OBJECT}?versionId=${VERSION}`)),
];

const PLATINUM = { 'x-amz-storage-class': 'PLATINUM' };
const IS_PLATINUM = { details: { StorageClassRequested: 'PLATINUM' } };
const MALFORMED = ['', 'no XML', '<Tagging>', '<Other/>', '<!DOCTYPE x><Tagging/>'];

const CONTENTS = [
  ...['/A_b', '/ab', `/${'a'.repeat(64)}`, '/192.168.0.1'].map((path) =>
    row(400, 'InvalidBucketName', put(path)),
  ),
  ...['', 'NULL', VERSION.slice(1), VERSION.toUpperCase(), `${VERSION}0`].map((id) =>
    row(400, 'InvalidArgument', get(`${OBJECT}?versionId=${id}`), {
      message: /^(Invalid version id specified|Version id cannot be the empty string)$/,
      details: { ArgumentName: 'versionId', ArgumentValue: id },
    }),
  ),
  row(400, 'InvalidArgument', del(`${OBJECT}?versionId=1`), { message: /^Invalid version id/ }),
  row(400, 'InvalidStorageClass', put(OBJECT, 'over', PLATINUM), IS_PLATINUM),
  row(
    400,
    'InvalidStorageClass',
    put(COPY, '', { ...PLATINUM, 'x-amz-copy-source': OBJECT }),
    IS_PLATINUM,
  ),
  row(409, 'BucketNotEmpty', del(BUCKET)),
  ...MALFORMED.flatMap((document) => [
    row(400, 'MalformedXML', put(`${OBJECT}?tagging`, document)),
    row(400, 'MalformedXML', put(`${BUCKET}?tagging`, document)),
  ]),
  row(400, 'InvalidRequest', put(OBJECT, '', { 'x-amz-copy-source': OBJECT }), {
    message: /^This copy request is illegal because it is trying to copy an object to itself/,
  }),
];

const NOT_ALLOWED = [
  ...['PUT', 'DELETE', 'POST', 'HEAD'].map((method) => notAllowed(method, '/', 'SERVICE', 'GET')),
  ...['PUT', 'DELETE', 'POST', 'HEAD'].map((method) =>
    notAllowed(method, `${BUCKET}?uploads`, 'BUCKET', 'GET'),
  ),
  ...['GET', 'PUT', 'DELETE', 'HEAD'].map((method) =>
    notAllowed(method, `${OBJECT}?uploads`, 'OBJECT', 'POST'),
  ),
];

function notAllowed(method: string, path: string, resource: string, allow: string): ErrorRow {
  return row(
    405,
    'MethodNotAllowed',
    { method, path },
    {
      // About the method: what it was sent to does not matter.
      isOfResource: false,
      details: { Method: method, ResourceType: resource },
      headers: { allow },
    },
  );
}

const NOT_IMPLEMENTED = [
  get(`${BUCKET}?policy`),
  put(`${BUCKET}?website`),
  get(`${BUCKET}?inventory`),
  get(`${BUCKET}?analytics&id=1`),
  put(`${BUCKET}?replication`),
  put(`${BUCKET}?something-new`),
  get(`${OBJECT}?torrent`),
  del(`${OBJECT}?something-new`),
].map((request) => row(501, 'NotImplemented', request, { message: /not implemented/i }));

const EXPIRED = { message: /^Request has expired$/ };
/** The least size of a chunk that another follows. */
const CHUNKS = [Buffer.alloc(8192, 'a'), Buffer.from('last')];
const TRAILER = 'x-amz-checksum-crc32:AAAAAA==';

const AUTHENTICATION = [
  ...[-16, 16].flatMap((minutes) => [
    row(
      403,
      'RequestTimeTooSkewed',
      by(`a signature of ${minutes} minutes ago`, (wire) => wire.signedAgo(minutes)),
    ),
    row(
      403,
      'RequestTimeTooSkewed',
      by(`one of version 2 of ${minutes} minutes ago`, (wire) => wire.signedAgoV2(minutes)),
    ),
  ]),
  row(
    403,
    'AccessDenied',
    by('a URL that has expired', (wire) => wire.presignedAgo(2)),
    EXPIRED,
  ),
  row(
    403,
    'AccessDenied',
    by('one of version 2', (wire) => wire.expiredAgoV2(1)),
    EXPIRED,
  ),
  row(
    403,
    'SignatureDoesNotMatch',
    by('a chunk that was not signed', (wire) =>
      wire.inChunks(CHUNKS, { tamper: ['aaaa', 'aaab'] }),
    ),
  ),
  row(
    403,
    'SignatureDoesNotMatch',
    by('a trailer that was not signed', (wire) =>
      wire.inChunks(CHUNKS, { trailer: TRAILER, tamper: ['AAAAAA', 'AAAAAQ'] }),
    ),
  ),
];

const UNSIGNED = [
  unsigned('GET', '/'),
  // The bare probe, where the reference answers 412: see docs/s3-compatibility.md.
  unsigned('GET', BUCKET),
  unsigned('HEAD', BUCKET),
  unsigned('GET', OBJECT),
  unsigned('PUT', OBJECT),
  unsigned('DELETE', OBJECT),
  unsigned('POST', `${OBJECT}?uploads`),
  unsigned('DELETE', BUCKET),
].map((request) => row(403, 'AccessDenied', request));

export const CONTRACT_ROWS: readonly ErrorRow[] = [
  ...[...MISSING, ...CONTENTS, ...NOT_ALLOWED, ...NOT_IMPLEMENTED],
  ...[...AUTHENTICATION, ...UNSIGNED],
];
