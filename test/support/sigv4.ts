import { createHash, createHmac } from 'node:crypto';

/**
 * A signer for tests, written from AWS's documentation alone: it shares no code with what it is
 * there to test, and prefers being obvious to being fast.
 */

export interface SigningIdentity {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

export interface RequestToSign {
  readonly method: string;
  /** The path on the wire. */
  readonly rawPath: string;
  /** The query on the wire, without `?`. */
  readonly rawQuery?: string;
  /** Lower-case names; with `host`. Everything here is signed. */
  readonly headers: Readonly<Record<string, string>>;
}

export const UNSIGNED = 'UNSIGNED-PAYLOAD';

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** `YYYYMMDDTHHMMSSZ` */
export function amzDateOf(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** The request's headers, with `x-amz-date`, `x-amz-content-sha256` and `authorization`. */
export function signHeaders(
  identity: SigningIdentity,
  request: RequestToSign,
  date: Date,
  contentSha256: string,
): Record<string, string> {
  const headers = {
    ...request.headers,
    'x-amz-content-sha256': contentSha256,
    'x-amz-date': amzDateOf(date),
  };
  const signer = new Signer(identity, date);
  const signature = signer.signRequest({ ...request, headers }, contentSha256);
  const names = Object.keys(headers).sort().join(';');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${identity.accessKey}/${signer.scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The raw query of the presigned URL. */
export function presignQuery(
  identity: SigningIdentity,
  request: RequestToSign,
  date: Date,
  expiresS: number,
  contentSha256 = UNSIGNED,
): string {
  const signer = new Signer(identity, date);
  const parameters = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${identity.accessKey}/${signer.scope}`,
    'X-Amz-Date': amzDateOf(date),
    'X-Amz-Expires': String(expiresS),
    'X-Amz-SignedHeaders': Object.keys(request.headers).sort().join(';'),
  });
  const own = request.rawQuery === undefined || request.rawQuery === '' ? [] : [request.rawQuery];
  const rawQuery = [...own, parameters.toString()].join('&');
  const signature = signer.signRequest({ ...request, rawQuery }, contentSha256);
  return `${rawQuery}&X-Amz-Signature=${signature}`;
}

/** The signature in an `Authorization` header: the seed of signed chunks. */
export function seedOf(authorization: string): string {
  return authorization.slice(-64);
}

export class Signer {
  readonly scope: string;
  readonly #key: Buffer;
  readonly #amzDate: string;

  constructor({ secretKey, region }: SigningIdentity, date: Date) {
    this.#amzDate = amzDateOf(date);
    const day = this.#amzDate.slice(0, 8);
    this.scope = `${day}/${region}/s3/aws4_request`;
    this.#key = [day, region, 's3', 'aws4_request'].reduce(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secretKey}`),
    );
  }

  signRequest(request: RequestToSign, contentSha256: string): string {
    const names = Object.keys(request.headers).sort();
    const canonicalRequest = [
      request.method,
      canonicalPath(request.rawPath),
      canonicalQuery(request.rawQuery ?? ''),
      ...names.map(
        (name) => `${name}:${trimAscii(request.headers[name] ?? '').replace(/ +/g, ' ')}`,
      ),
      '',
      names.join(';'),
      contentSha256,
    ].join('\n');
    return this.#hmac('AWS4-HMAC-SHA256', [sha256Hex(canonicalRequest)]);
  }

  signChunk(previous: string, chunk: Uint8Array): string {
    return this.#hmac('AWS4-HMAC-SHA256-PAYLOAD', [previous, sha256Hex(''), sha256Hex(chunk)]);
  }

  signTrailer(previous: string, text: string): string {
    return this.#hmac('AWS4-HMAC-SHA256-TRAILER', [previous, sha256Hex(text)]);
  }

  #hmac(algorithm: string, rest: readonly string[]): string {
    const text = [algorithm, this.#amzDate, this.scope, ...rest].join('\n');
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }
}

export interface ChunkedBodyOptions {
  /** `name:value`, as in `x-amz-checksum-crc32:AAAAAA==`. */
  readonly trailers?: readonly string[];
  /** Between the trailers and their signature: minio-go writes `\n\r\n` instead of `\r\n`. */
  readonly trailerEnd?: string;
}

/** `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`, and `-TRAILER` when trailers are given. */
export function signedChunks(
  signer: Signer,
  seed: string,
  chunks: readonly Uint8Array[],
  { trailers, trailerEnd = '\r\n' }: ChunkedBodyOptions = {},
): Buffer {
  let previous = seed;
  const parts: (string | Uint8Array)[] = [];
  for (const chunk of [...chunks, new Uint8Array()]) {
    previous = signer.signChunk(previous, chunk);
    parts.push(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`);
    if (chunk.length > 0) parts.push(chunk, '\r\n');
  }
  if (trailers !== undefined) {
    const text = trailers.map((trailer) => `${trailer}\n`).join('');
    parts.push(trailers.map((trailer) => `${trailer}${trailerEnd}`).join(''));
    parts.push(`x-amz-trailer-signature:${signer.signTrailer(previous, text)}\r\n`);
  }
  return concat([...parts, '\r\n']);
}

/** `STREAMING-UNSIGNED-PAYLOAD-TRAILER` */
export function unsignedChunks(
  chunks: readonly Uint8Array[],
  { trailers = [] }: ChunkedBodyOptions = {},
): Buffer {
  const parts: (string | Uint8Array)[] = [];
  for (const chunk of chunks) parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
  return concat([...parts, '0\r\n', ...trailers.map((trailer) => `${trailer}\r\n`), '\r\n']);
}

function concat(parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function canonicalPath(rawPath: string): string {
  return rawPath.split('/').map(reencode).join('/');
}

function canonicalQuery(rawQuery: string): string {
  return rawQuery
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', ...value] = piece.replace(/\+/g, '%20').split('=');
      return [reencode(name), reencode(value.join('='))] as const;
    })
    .sort(([nameA, valueA], [nameB, valueB]) =>
      Buffer.compare(Buffer.from(`${nameA}\0${valueA}`), Buffer.from(`${nameB}\0${valueB}`)),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function reencode(raw: string): string {
  return encodeURIComponent(decodeURIComponent(raw)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** AWS's `Trim`; what Unicode calls white space beyond ASCII is a part of the value. */
export function trimAscii(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}
