import { amzDateOf, Signer, UNSIGNED } from '../../test/support/sigv4.js';
import { wireRequest, type Expectation, type WireRequest } from '../load/wire.js';
import type {
  ByteRange,
  DeletedKey,
  Dialect,
  DialectSettings,
  Feature,
  ListedPage,
  MultipartDialect,
  PageQuery,
  UploadPart,
} from './dialect.js';
import { md5Hex, sha256Hex } from './hashes.js';
import { rangeHeader, rangeOf } from './plain.js';

const NOTHING = Buffer.alloc(0);
const ALL: readonly Feature[] = [
  'payload-signing',
  'list',
  'multi-delete',
  'multipart',
  'versions',
];

/** A signer is kept for so long: deriving its key costs more than a signature. */
const SIGNER_AGE_MS_MAX = 10_000;

interface S3Request {
  readonly method: string;
  readonly bucket: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly unsigned?: boolean;
}

/** S3 in path style, signed by SigV4 in headers, as the SDKs do. */
export class S3Dialect implements Dialect {
  readonly endpoint: string;
  readonly features: ReadonlySet<Feature>;
  readonly #host: string;
  #signer: { readonly signer: Signer; readonly date: Date } | undefined;

  constructor(private readonly settings: DialectSettings & { readonly kind: 's3' }) {
    this.endpoint = settings.endpoint;
    this.#host = new URL(settings.endpoint).host;
    this.features = new Set(ALL.filter((feature) => !settings.lacks.includes(feature)));
  }

  createBucket(bucket: string): WireRequest {
    // 409 is BucketAlreadyOwnedByYou: another target of the run has the same store.
    return this.#request({ method: 'PUT', bucket, body: NOTHING }, { statuses: [200, 409] });
  }

  deleteBucket(bucket: string): WireRequest {
    return this.#request({ method: 'DELETE', bucket }, { statuses: [204, 404] });
  }

  put(bucket: string, key: string, body: Buffer, signed: boolean): WireRequest {
    const expect = { statuses: [200], inHead: md5Hex(body) };
    return this.#request({ method: 'PUT', bucket, key, body, unsigned: !signed }, expect);
  }

  get(bucket: string, key: string, body: Buffer, range?: ByteRange): WireRequest {
    const expect = { statuses: [range === undefined ? 200 : 206], body: rangeOf(body, range) };
    return this.#request({ method: 'GET', bucket, key, headers: rangeHeader(range) }, expect);
  }

  head(bucket: string, key: string, bytes: number): WireRequest {
    const expect = { statuses: [200], contentLength: bytes };
    return this.#request({ method: 'HEAD', bucket, key }, expect);
  }

  delete(bucket: string, key: string): WireRequest {
    return this.#request({ method: 'DELETE', bucket, key }, { statuses: [204] });
  }

  list(query: PageQuery, check?: (body: Buffer) => string | undefined): WireRequest {
    const { bucket, prefix, keysMax, startAfter, delimiter, versions = false } = query;
    const parameters: Record<string, string> = versions ? { versions: '' } : { 'list-type': '2' };
    parameters['max-keys'] = String(keysMax);
    parameters.prefix = prefix;
    if (startAfter !== undefined) parameters[versions ? 'key-marker' : 'start-after'] = startAfter;
    if (query.versionIdMarker !== undefined)
      parameters['version-id-marker'] = query.versionIdMarker;
    if (delimiter !== undefined) parameters.delimiter = delimiter;
    const expect = check === undefined ? { statuses: [200] } : { statuses: [200], check };
    return this.#request({ method: 'GET', bucket, query: parameters }, expect);
  }

  readPage(body: Buffer): ListedPage {
    const text = body.toString('utf8');
    const entries = text.includes('<CommonPrefixes>')
      ? text.matchAll(/<CommonPrefixes>\s*<Prefix>([^<]*)/g)
      : text.matchAll(/<Key>([^<]*)/g);
    const versionIds = [...text.matchAll(/<VersionId>([^<]*)/g)].map((match) => match[1] ?? '');
    return { names: [...entries].map((match) => match[1] ?? ''), versionIds };
  }

  multiDelete(bucket: string, keys: readonly DeletedKey[]): WireRequest {
    const objects = keys.map(({ key, versionId }) => {
      const version = versionId === undefined ? '' : `<VersionId>${versionId}</VersionId>`;
      return `<Object><Key>${key}</Key>${version}</Object>`;
    });
    const body = Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?><Delete>${objects.join('')}</Delete>`,
    );
    const headers = { 'content-md5': Buffer.from(md5Hex(body), 'hex').toString('base64') };
    const check = (answer: Buffer) => deletionProblem(answer.toString('utf8'), keys.length);
    return this.#request(
      { method: 'POST', bucket, query: { delete: '' }, headers, body },
      { statuses: [200], check },
    );
  }

  readonly multipart: MultipartDialect = {
    create: (bucket, key) => {
      const check = (body: Buffer) =>
        this.multipart.uploadId(body) === '' ? 'the answer has no UploadId' : undefined;
      return this.#request(
        { method: 'POST', bucket, key, query: { uploads: '' }, body: NOTHING },
        { statuses: [200], check },
      );
    },
    uploadId: (created) => /<UploadId>([^<]+)/.exec(created.toString('utf8'))?.[1] ?? '',
    part: (bucket, key, uploadId, { number, body, etag }) =>
      this.#request(
        { method: 'PUT', bucket, key, query: { partNumber: String(number), uploadId }, body },
        { statuses: [200], inHead: etag },
      ),
    complete: (bucket, key, uploadId, parts) =>
      this.#request(
        { method: 'POST', bucket, key, query: { uploadId }, body: completion(parts) },
        { statuses: [200], check: completionProblem },
      ),
    listParts: (bucket, key, uploadId, after, check) =>
      this.#request(
        { method: 'GET', bucket, key, query: { uploadId, 'part-number-marker': String(after) } },
        { statuses: [200], check },
      ),
  };

  enableVersions(bucket: string): WireRequest {
    const body = Buffer.from(
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    );
    const headers = { 'content-md5': Buffer.from(md5Hex(body), 'hex').toString('base64') };
    const request = { method: 'PUT', bucket, query: { versioning: '' }, headers, body };
    return this.#request(request, { statuses: [200] });
  }

  #request(request: S3Request, expect: Expectation): WireRequest {
    const { method, bucket, key, query = {}, body, unsigned = false } = request;
    const rawPath = key === undefined ? `/${bucket}` : `/${bucket}/${key}`;
    const rawQuery = Object.entries(query)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const { signer, date } = this.#currentSigner();
    const sha256 = unsigned ? UNSIGNED : sha256Hex(body ?? NOTHING);
    const headers: Record<string, string> = {
      host: this.#host,
      ...request.headers,
      'x-amz-content-sha256': sha256,
      'x-amz-date': amzDateOf(date),
    };
    const signature = signer.signRequest({ method, rawPath, rawQuery, headers }, sha256);
    const names = Object.keys(headers).sort().join(';');
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${this.settings.accessKey}/${signer.scope}, SignedHeaders=${names}, Signature=${signature}`;
    const target = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
    return wireRequest(method, target, headers, body, expect);
  }

  #currentSigner() {
    const now = Date.now();
    const known = this.#signer;
    if (known !== undefined && now - known.date.getTime() < SIGNER_AGE_MS_MAX) return known;
    const date = new Date(now);
    const signer = new Signer(this.settings, date);
    return (this.#signer = { signer, date });
  }
}

function deletionProblem(answer: string, expected: number): string | undefined {
  const error = /<Error>.*?<\/Error>/s.exec(answer)?.[0];
  if (error !== undefined) return error;
  const deleted = answer.split('<Deleted>').length - 1;
  return deleted === expected ? undefined : `${deleted} keys were deleted, not ${expected}`;
}

function completion(parts: readonly UploadPart[]): Buffer {
  const listed = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`,
  );
  return Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`);
}

/** S3 says 200 before it knows: an error may be in the body. */
function completionProblem(answer: Buffer): string | undefined {
  const text = answer.toString('utf8');
  return text.includes('<CompleteMultipartUploadResult') ? undefined : text.slice(0, 300);
}
