import { completeDocument, patternBytes, partList, MIB } from '../multipart-bench.js';
import { by, get, post, put, row, unsigned, type ErrorRow } from './rows.js';
import { BUCKET, OBJECT, type Wire } from './wire.js';

/** Every other code that this service answers to requests: one row for each, at least. */

const UPLOAD = `${BUCKET}/upload`;
const AN_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';

const AUTHENTICATION = [
  row(
    400,
    'AuthorizationHeaderMalformed',
    unsigned('GET', OBJECT, { authorization: 'AWS4-HMAC-SHA256 x' }),
    { message: /^The authorization header is malformed; / },
  ),
  row(
    400,
    'AuthorizationQueryParametersError',
    unsigned('GET', `${OBJECT}?X-Amz-Algorithm=AWS4-HMAC-SHA256`),
  ),
  row(
    403,
    'InvalidAccessKeyId',
    by('an access key that nobody has', () =>
      unsigned('GET', OBJECT, { authorization: 'AWS NOBODY:sig=', date: new Date().toUTCString() }),
    ),
  ),
  row(400, 'InvalidToken', get(OBJECT, { 'x-amz-security-token': 'token' })),
];

const REQUEST_LINES = [
  ...['%4', '%ff', '%00'].map((key) =>
    row(400, 'InvalidURI', unsigned('GET', `${BUCKET}/${key}`), { isOfResource: false }),
  ),
  row(400, 'KeyTooLongError', unsigned('GET', `${BUCKET}/${'k'.repeat(1025)}`), {
    details: { Size: '1025', MaxSizeAllowed: '1024' },
  }),
];

const BODIES = [
  row(400, 'BadDigest', put(OBJECT, 'over', { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' })),
  row(400, 'BadDigest', put(OBJECT, 'over', { 'x-amz-checksum-crc32': 'AAAAAA==' }), {
    message: /^The CRC32 you specified did not match/,
  }),
  row(400, 'InvalidDigest', put(OBJECT, 'over', { 'content-md5': 'x' })),
  row(400, 'XAmzContentSHA256Mismatch', {
    ...put(OBJECT, 'over'),
    contentSha256: '0'.repeat(64),
  }),
  row(
    400,
    'IncompleteBody',
    by('fewer bytes than announced', (wire) => wire.inChunks([Buffer.from('over')], { bytes: 5 })),
  ),
  row(
    400,
    'EntityTooLarge',
    by('more than 5 GiB', (wire) => wire.inChunks([], { bytes: 5 * 1024 ** 3 + 1 })),
    { details: { MaxSizeAllowed: String(5 * 1024 ** 3) } },
  ),
  row(
    403,
    'InvalidChunkSizeError',
    by('a small chunk before another', (wire) =>
      wire.inChunks([Buffer.from('o'), Buffer.from('ver')]),
    ),
  ),
  row(
    400,
    'MalformedTrailerError',
    by('another trailer than announced', (wire) =>
      wire.inChunks([Buffer.from('over')], {
        trailer: 'x-amz-checksum-crc32:AAAAAA==',
        tamper: ['crc32:', 'crc33:'],
      }),
    ),
  ),
  row(400, 'MaxMessageLengthExceeded', put(`${OBJECT}?tagging`, ' '.repeat(1024 ** 2 + 1))),
];

const HEADERS = [
  row(400, 'MetadataTooLarge', put(OBJECT, 'over', { 'x-amz-meta-a': 'v'.repeat(2048) }), {
    details: { Size: '2049', MaxSizeAllowed: '2048' },
  }),
  row(
    400,
    'RequestHeaderSectionTooLarge',
    put(OBJECT, 'over', { 'cache-control': 'v'.repeat(8193) }),
  ),
  row(400, 'InvalidTag', put(OBJECT, 'over', { 'x-amz-tagging': 'aws%3Aa=b' }), {
    message: /^Your TagKey cannot be prefixed with aws:$/,
  }),
  row(412, 'PreconditionFailed', get(OBJECT, { 'if-match': AN_ETAG }), {
    details: { Condition: 'If-Match' },
  }),
  row(416, 'InvalidRange', get(OBJECT, { range: 'bytes=9-' }), {
    details: { RangeRequested: 'bytes=9-', ActualObjectSize: '9' },
    headers: { 'content-range': 'bytes */9' },
  }),
  row(416, 'InvalidPartNumber', get(`${OBJECT}?partNumber=2`), {
    details: { PartNumberRequested: '2', ActualPartCount: '1' },
  }),
];

const CONFIGURATIONS = [
  row(409, 'BucketAlreadyOwnedByYou', put(BUCKET)),
  row(400, 'IllegalLocationConstraintException', put('/elsewhere', location('eu-west-1')), {
    message: /^The eu-west-1 location constraint is incompatible/,
  }),
  row(400, 'InvalidLocationConstraint', put('/elsewhere', location('no region'))),
  row(404, 'NoSuchCORSConfiguration', get(`${BUCKET}?cors`)),
  row(404, 'NoSuchLifecycleConfiguration', get(`${BUCKET}?lifecycle`)),
  row(404, 'NoSuchTagSet', get(`${BUCKET}?tagging`)),
  row(400, 'BadRequest', put(`${OBJECT}?tagging`, tags(11)), {
    message: /^Object tags cannot be greater than 10$/,
  }),
  row(400, 'MalformedACLError', put(`${OBJECT}?acl`, '<Other/>')),
  row(400, 'MissingSecurityHeader', put(`${OBJECT}?acl`)),
  row(400, 'UnexpectedContent', put(`${OBJECT}?acl`, '<Other/>', { 'x-amz-acl': 'private' })),
  row(
    400,
    'UnresolvableGrantByEmailAddress',
    put(OBJECT, 'over', { 'x-amz-grant-read': 'emailAddress="a@example.org"' }),
  ),
  row(
    403,
    'AccessForbidden',
    unsigned('OPTIONS', OBJECT, {
      origin: 'https://app.example',
      'access-control-request-method': 'GET',
    }),
    { message: /^CORSResponse: / },
  ),
];

const UPLOADS = [
  row(404, 'NoSuchUpload', get(`${UPLOAD}?uploadId=${'0'.repeat(32)}`)),
  row(
    400,
    'InvalidPart',
    by('another ETag than the part has', async (wire) => {
      const { uploadId } = await wire.bench.smallUpload(UPLOAD, 'body');
      return complete(uploadId, [{ number: 1, etag: AN_ETAG }]);
    }),
    { details: { PartNumber: '1' } },
  ),
  row(
    400,
    'InvalidPartOrder',
    by('parts from last to first', async (wire) => {
      const { uploadId, parts } = await largeUpload(wire, 5 * MIB);
      return complete(uploadId, [...parts].reverse());
    }),
  ),
  row(
    400,
    'EntityTooSmall',
    by('a part under 5 MiB that is not the last', async (wire) => {
      const { uploadId, parts } = await largeUpload(wire, 5 * MIB - 1);
      return complete(uploadId, parts);
    }),
    { details: { ProposedSize: String(5 * MIB - 1), MinSizeAllowed: String(5 * MIB) } },
  ),
];

async function largeUpload(wire: Wire, firstBytes: number) {
  const { bench } = wire;
  const uploadId = await bench.create(UPLOAD);
  const etags = [
    await bench.part(UPLOAD, uploadId, 1, patternBytes(firstBytes, 1)),
    await bench.part(UPLOAD, uploadId, 2, Buffer.from('last')),
  ];
  return { uploadId, parts: partList(etags) };
}

function complete(uploadId: string, parts: Parameters<typeof completeDocument>[0]) {
  return post(`${UPLOAD}?uploadId=${uploadId}`, completeDocument(parts));
}

function location(region: string): string {
  return `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;
}

function tags(count: number): string {
  const list = Array.from({ length: count }, (_, n) => `<Tag><Key>${n}</Key><Value/></Tag>`);
  return `<Tagging><TagSet>${list.join('')}</TagSet></Tagging>`;
}

export const OTHER_ROWS: readonly ErrorRow[] = [
  ...[...AUTHENTICATION, ...REQUEST_LINES, ...BODIES, ...HEADERS, ...CONFIGURATIONS, ...UPLOADS],
];
