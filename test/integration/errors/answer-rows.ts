import type { S3TestClient } from '../../support/s3-client.js';
import { completeDocument, patternBytes } from '../multipart-bench.js';
import { by, del, get, head, options, post, put, type Recipe } from './rows.js';
import type { S3Request } from '../../support/s3-client.js';

/**
 * Answers in details that suites of other projects look at: not only errors, and not of one code. Each
 * row says what is there, and what must not be.
 */
export interface AnswerRow {
  readonly request: S3Request | Recipe;
  readonly status: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that must not be there. */
  readonly lacks?: readonly string[];
  readonly text?: readonly RegExp[];
  readonly notText?: readonly RegExp[];
}

const BUCKET = '/answers';
/** From before versioning, which the bucket has now. */
const PLAIN = `${BUCKET}/plain`;
const MARKED = `${BUCKET}/marked`;
const UPLOAD = `${BUCKET}/upload`;
const NO_VERSION = '0123456789abcdef0123456789abcdef';
const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

export async function prepareAnswers(s3: S3TestClient): Promise<void> {
  await s3.put(BUCKET);
  await s3.put('/plain-answers');
  await s3.put('/plain-answers/key', 'body');
  await s3.put(PLAIN, 'as it was');
  await s3.put(`${BUCKET}?versioning`, VERSIONING);
  await s3.put(MARKED, 'body');
  await s3.delete(MARKED);
}

const YESTERDAY = new Date(Date.now() - 86_400_000);
const DATES = [
  YESTERDAY.toUTCString(),
  YESTERDAY.toUTCString().replace('GMT', '+0000'),
  YESTERDAY.toUTCString().replace('GMT', '-0000'),
  YESTERDAY.toUTCString().replace('GMT', 'UTC'),
  YESTERDAY.toISOString(),
  YESTERDAY.toISOString().replaceAll(/[-:]|\.\d+/g, ''),
];

const CONDITIONS: readonly AnswerRow[] = [
  ...DATES.flatMap((date): readonly AnswerRow[] => [
    {
      request: get(PLAIN, { 'if-unmodified-since': date }),
      status: 412,
      code: 'PreconditionFailed',
    },
    {
      request: put(`${BUCKET}/copy`, '', {
        'x-amz-copy-source': PLAIN,
        'x-amz-copy-source-if-unmodified-since': date,
      }),
      status: 412,
      code: 'PreconditionFailed',
    },
  ]),
  { request: get(PLAIN, { 'if-unmodified-since': 'nonsense' }), status: 200 },
  {
    request: put(`${BUCKET}/copy`, '', {
      'x-amz-copy-source': PLAIN,
      'x-amz-copy-source-if-unmodified-since': 'nonsense',
    }),
    status: 400,
    code: 'InvalidArgument',
  },
];

const DIRECTIVES: readonly AnswerRow[] = [
  {
    request: put(`${BUCKET}/directed`, 'body', {
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-tagging-directive': 'REPLACE',
      'x-amz-meta-mode': '33188',
    }),
    status: 200,
  },
  { request: head(`${BUCKET}/directed`), status: 200, headers: { 'x-amz-meta-mode': '33188' } },
  {
    request: post(`${UPLOAD}?uploads`, '', { 'x-amz-metadata-directive': 'COPY' }),
    status: 200,
  },
];

const IS_NULL = { 'x-amz-version-id': 'null' };

const NULL_VERSIONS: readonly AnswerRow[] = [
  { request: get(PLAIN), status: 200, headers: IS_NULL, text: [/^as it was$/] },
  { request: get(`${PLAIN}?partNumber=1`), status: 206, headers: IS_NULL },
  { request: head(PLAIN), status: 200, headers: IS_NULL },
  { request: get(`${PLAIN}?versionId=null`), status: 200, headers: IS_NULL },
  { request: get(PLAIN, { 'if-none-match': '*' }), status: 304, headers: IS_NULL },
  { request: put(`${PLAIN}?acl`, '', { 'x-amz-acl': 'private' }), status: 200, headers: IS_NULL },
  { request: get(`${PLAIN}?acl`), status: 200, headers: IS_NULL },
  { request: put(`${PLAIN}?tagging`, TAGS), status: 200, headers: IS_NULL },
  { request: get(`${PLAIN}?tagging`), status: 200, headers: IS_NULL },
  { request: del(`${PLAIN}?tagging`), status: 204, headers: IS_NULL },
  {
    request: put('/plain-answers/copy', '', { 'x-amz-copy-source': PLAIN }),
    status: 200,
    headers: { 'x-amz-copy-source-version-id': 'null' },
  },
  // Where there is no versioning, nothing is said of versions.
  { request: get('/plain-answers/key'), status: 200, lacks: ['x-amz-version-id'] },
  { request: head('/plain-answers/key'), status: 200, lacks: ['x-amz-version-id'] },
  {
    request: put('/plain-answers/copy', '', { 'x-amz-copy-source': '/plain-answers/key' }),
    status: 200,
    lacks: ['x-amz-copy-source-version-id'],
  },
  {
    request: del(`${PLAIN}?versionId=${NO_VERSION}`),
    status: 204,
    headers: { 'x-amz-version-id': NO_VERSION },
  },
];

const LISTINGS: readonly AnswerRow[] = [
  ...['', '&list-type=2', '&versions', '&uploads'].map((kind) => ({
    request: get(`${BUCKET}?delimiter=${kind}`),
    status: 200,
    notText: [/<Delimiter/],
  })),
  ...['', '?list-type=2', '?versions'].map((kind) => ({
    request: get(`${BUCKET}${kind}`),
    status: 200,
    headers: { 'x-amz-bucket-region': 'us-east-1' },
  })),
  { request: head(BUCKET), status: 200, headers: { 'x-amz-bucket-region': 'us-east-1' } },
  {
    request: { method: 'HEAD', path: BUCKET, signed: false },
    status: 403,
    headers: { 'x-amz-bucket-region': 'us-east-1' },
  },
  { request: head('/absent'), status: 404, lacks: ['x-amz-bucket-region'] },
  {
    request: get('/plain-answers?uploads'),
    status: 200,
    text: [/<NextKeyMarker><\/NextKeyMarker><NextUploadIdMarker><\/NextUploadIdMarker>/],
  },
  {
    request: get(`${BUCKET}?uploads`),
    status: 200,
    text: [
      /<NextKeyMarker>upload<\/NextKeyMarker><NextUploadIdMarker>[0-9a-f]{32}<\/NextUploadIdMarker>/,
      /<IsTruncated>false</,
    ],
  },
  {
    request: by('ListParts of an upload with one part', async ({ bench }) => {
      const { uploadId } = await bench.smallUpload(UPLOAD, 'body');
      return get(`${UPLOAD}?uploadId=${uploadId}`);
    }),
    status: 200,
    text: [/<NextPartNumberMarker>1<.*<IsTruncated>false</],
  },
];

const ABSENT = [NO_VERSION, 'no-id'].map((id) => `/absent/key?uploadId=${id}`);

const UPLOADS: readonly AnswerRow[] = [
  ...ABSENT.flatMap((path) => [
    del(path),
    get(path),
    put(`${path}&partNumber=1`, 'body'),
    post(path, completeDocument([{ number: 1, etag: '"a"' }])),
  ]).map((request) => ({ request, status: 404, code: 'NoSuchBucket' })),
  ...['no-id', NO_VERSION].map((id) => ({
    request: del(`${UPLOAD}?uploadId=${id}`),
    status: 404,
    code: 'NoSuchUpload',
  })),
  {
    request: put(`${UPLOAD}?partNumber=1`, 'body'),
    status: 400,
    code: 'InvalidArgument',
    text: [/<Message>This operation does not accept partNumber without uploadId<\/Message>/],
  },
  {
    request: put(`${UPLOAD}?uploadId=${NO_VERSION}`, 'body'),
    status: 405,
    code: 'MethodNotAllowed',
    headers: { allow: 'DELETE, POST, GET' },
    text: [/<ResourceType>UPLOAD</],
  },
  ...['"', '""'].map((quotes) => ({
    request: by(`a part's ETag with ${quotes} before it`, async ({ bench }) => {
      const uploadId = await bench.create(UPLOAD);
      const etag = await bench.part(UPLOAD, uploadId, 1, patternBytes(10, 1));
      const part = { number: 1, etag: `${quotes}${etag.replaceAll('"', '')}` };
      return post(`${UPLOAD}?uploadId=${uploadId}`, completeDocument([part]));
    }),
    status: 200,
    text: [/<CompleteMultipartUploadResult /],
  })),
];

const READS: readonly AnswerRow[] = [
  {
    request: get(`${PLAIN}?partNumber=0`, { range: 'bytes=0-1' }),
    status: 400,
    code: 'InvalidRequest',
    text: [/Cannot specify both Range header and partNumber query parameter/],
  },
  { request: get(`${PLAIN}?partNumber=0`), status: 400, code: 'InvalidArgument' },
  { request: get(`${PLAIN}?utm_source&download`), status: 200, text: [/^as it was$/] },
  { request: head(`${PLAIN}?download`), status: 200 },
  { request: get(`${PLAIN}?torrent`), status: 501, code: 'NotImplemented' },
  { request: get(`${PLAIN}?policy`), status: 501, code: 'NotImplemented' },
  { request: put(`${PLAIN}?download`, 'over'), status: 501, code: 'NotImplemented' },
  { request: get(`${BUCKET}?download`), status: 501, code: 'NotImplemented' },
  {
    request: get(`${PLAIN}?response-foo=bar`),
    status: 400,
    code: 'InvalidArgument',
    text: [/<Message>response-foo is not in the set of overridable response headers\. /],
  },
];

const MARKERS: readonly AnswerRow[] = [
  get(`${MARKED}?tagging`),
  put(`${MARKED}?tagging`, TAGS),
  del(`${MARKED}?tagging`),
  get(`${MARKED}?acl`),
  put(`${MARKED}?acl`, '', { 'x-amz-acl': 'private' }),
].map((request) => ({
  request,
  status: 405,
  code: 'MethodNotAllowed',
  headers: { 'x-amz-delete-marker': 'true', allow: 'DELETE' },
  text: [new RegExp(`<Method>${request.method}</Method><ResourceType>DeleteMarker<`)],
}));

const METADATA: readonly AnswerRow[] = [
  {
    request: by('a signed value that arrives shortened', (wire) =>
      wire.putOther({ 'x-amz-meta-place': 'caf' }, { 'x-amz-meta-place': 'café' }),
    ),
    status: 403,
    code: 'SignatureDoesNotMatch',
    text: [/does not match the signature you provided\..* arrive shortened: write them in encoded/],
  },
];

const BUCKETS: readonly AnswerRow[] = [
  {
    request: put(
      `${BUCKET}?cors`,
      '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>' +
        '<ExposeHeader>x-a b</ExposeHeader></CORSRule></CORSConfiguration>',
    ),
    status: 400,
    code: 'InvalidRequest',
    text: [/ExposeHeader &quot;x-a b&quot; contains invalid character\./],
  },
  {
    request: options(PLAIN, { origin: 'https://a.example' }),
    status: 400,
    code: 'BadRequest',
    text: [/Invalid Access-Control-Request-Method: null/],
  },
  {
    request: post(`${BUCKET}?delete`, '<Delete><Object><Key>k</Key></Object></Delete>'),
    status: 400,
    code: 'InvalidRequest',
    text: [/Missing required header for this request: Content-MD5 OR x-amz-checksum-\*/],
  },
  ...['version-id-marker=', 'version-id-marker=x'].map((query) => ({
    request: get(`${BUCKET}?versions&${query}`),
    status: 400,
    code: 'InvalidArgument',
    text: [/A version-id marker cannot be specified without a key marker\./],
  })),
  {
    request: get(`${BUCKET}?versions&key-marker=&version-id-marker=x`),
    status: 400,
    code: 'InvalidArgument',
    text: [/Invalid version id specified/],
  },
  ...['range', 'x-amz-copy-source-range'].map((name) => ({
    request: put(`${BUCKET}/copy`, '', { 'x-amz-copy-source': PLAIN, [name]: 'bytes=0-1' }),
    status: 400,
    code: 'InvalidArgument',
    text: [/The specified header is not valid in this context/],
  })),
];

export const ANSWER_ROWS: readonly AnswerRow[] = [
  ...[...CONDITIONS, ...DIRECTIVES, ...NULL_VERSIONS, ...LISTINGS, ...UPLOADS],
  ...[...READS, ...MARKERS, ...METADATA, ...BUCKETS],
];
