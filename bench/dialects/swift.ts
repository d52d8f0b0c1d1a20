import { wireRequest, type Expectation, type WireRequest } from '../load/wire.js';
import {
  lackOf,
  type ByteRange,
  type Dialect,
  type Feature,
  type ListedPage,
  type PageQuery,
} from './dialect.js';
import { md5Hex } from './hashes.js';
import { rangeHeader, rangeOf } from './plain.js';

/** Swift's own API, with a token that was had before. */
export class SwiftDialect implements Dialect {
  readonly features: ReadonlySet<Feature> = new Set<Feature>(['list']);
  readonly endpoint: string;
  readonly #host: string;
  readonly #account: string;

  /** @param storageUrl `http://host:port/v1/AUTH_account` */
  constructor(
    storageUrl: string,
    private readonly token: string,
  ) {
    const url = new URL(storageUrl);
    this.endpoint = url.origin;
    this.#host = url.host;
    this.#account = url.pathname.replace(/\/$/, '');
  }

  createBucket(bucket: string): WireRequest {
    return this.#request('PUT', bucket, { statuses: [201, 202] }, Buffer.alloc(0));
  }

  deleteBucket(bucket: string): WireRequest {
    return this.#request('DELETE', bucket, { statuses: [204, 404] });
  }

  put(bucket: string, key: string, body: Buffer): WireRequest {
    const expect = { statuses: [201], inHead: md5Hex(body) };
    return this.#request('PUT', `${bucket}/${key}`, expect, body);
  }

  get(bucket: string, key: string, body: Buffer, range?: ByteRange): WireRequest {
    const expect = { statuses: [range === undefined ? 200 : 206], body: rangeOf(body, range) };
    return this.#request('GET', `${bucket}/${key}`, expect, undefined, rangeHeader(range));
  }

  head(bucket: string, key: string, bytes: number): WireRequest {
    const expect = { statuses: [200], contentLength: bytes };
    return this.#request('HEAD', `${bucket}/${key}`, expect);
  }

  delete(bucket: string, key: string): WireRequest {
    return this.#request('DELETE', `${bucket}/${key}`, { statuses: [204] });
  }

  list(query: PageQuery, check?: (body: Buffer) => string | undefined): WireRequest {
    const parameters = new URLSearchParams({
      format: 'json',
      limit: String(query.keysMax),
      prefix: query.prefix,
    });
    if (query.startAfter !== undefined) parameters.set('marker', query.startAfter);
    if (query.delimiter !== undefined) parameters.set('delimiter', query.delimiter);
    const expect = check === undefined ? { statuses: [200] } : { statuses: [200], check };
    return this.#request('GET', `${query.bucket}?${parameters.toString()}`, expect);
  }

  readPage(body: Buffer): ListedPage {
    const entries = JSON.parse(body.toString('utf8')) as { name?: string; subdir?: string }[];
    return { names: entries.map((entry) => entry.name ?? entry.subdir ?? ''), versionIds: [] };
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
    path: string,
    expect: Expectation,
    body?: Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): WireRequest {
    const all = { host: this.#host, 'x-auth-token': this.token, ...headers };
    return wireRequest(method, `${this.#account}/${path}`, all, body, expect);
  }
}
