import { wireRequest, type Expectation, type WireRequest } from '../load/wire.js';
import { lackOf, type ByteRange, type Dialect, type Feature } from './dialect.js';

/** A web server with files and WebDAV's PUT and DELETE: no signatures, no listings. */
export class PlainDialect implements Dialect {
  readonly features: ReadonlySet<Feature> = new Set();
  readonly #host: string;

  constructor(readonly endpoint: string) {
    this.#host = new URL(endpoint).host;
  }

  /** Folders come with the first file in them. */
  createBucket(bucket: string): WireRequest {
    return this.put(bucket, '.bucket', Buffer.from('x'));
  }

  deleteBucket(bucket: string): WireRequest {
    return this.delete(bucket, '.bucket');
  }

  put(bucket: string, key: string, body: Buffer): WireRequest {
    return this.#request('PUT', bucket, key, { statuses: [201, 204] }, body);
  }

  get(bucket: string, key: string, body: Buffer, range?: ByteRange): WireRequest {
    const expect = { statuses: [range === undefined ? 200 : 206], body: rangeOf(body, range) };
    return this.#request('GET', bucket, key, expect, undefined, rangeHeader(range));
  }

  head(bucket: string, key: string, bytes: number): WireRequest {
    return this.#request('HEAD', bucket, key, { statuses: [200], contentLength: bytes });
  }

  delete(bucket: string, key: string): WireRequest {
    return this.#request('DELETE', bucket, key, { statuses: [204] });
  }

  list(): never {
    return lackOf('list');
  }

  readPage(): never {
    return lackOf('list');
  }

  multiDelete(): never {
    return lackOf('multi-delete');
  }

  get multipart(): never {
    return lackOf('multipart');
  }

  enableVersions(): never {
    return lackOf('versions');
  }

  #request(
    method: string,
    bucket: string,
    key: string,
    expect: Expectation,
    body?: Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): WireRequest {
    const target = `/${bucket}/${key}`;
    return wireRequest(method, target, { host: this.#host, ...headers }, body, expect);
  }
}

export function rangeOf(body: Buffer, range: ByteRange | undefined): Buffer {
  return range === undefined ? body : body.subarray(range.start, range.end);
}

export function rangeHeader(range: ByteRange | undefined): Record<string, string> {
  return range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
}
