import { Client } from 'undici';
import { XMLParser } from 'fast-xml-parser';
import { persistently } from './faulty/retries.js';
import { sha256Hex, signHeaders, type SigningIdentity } from './sigv4.js';
import { STACK } from './stack.js';

/**
 * A client for tests that sends exactly what it is told, raw path and all, and hides nothing of the
 * answer. Real clients are tested in test/clients; this is for requests that they would not send.
 */

export interface S3Request {
  readonly method: string;
  /** The path on the wire, with the query. */
  readonly path: string;
  /** Lower-case names; all of them are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default: the body's SHA-256. */
  readonly contentSha256?: string;
  /** Default true. */
  readonly signed?: boolean;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  /** The `<Code>` of an error document; undefined when the body is none. */
  readonly code: string | undefined;
}

export interface S3Address {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export class S3TestClient {
  readonly #client: Client;
  readonly #identity: SigningIdentity;
  readonly #host: string;

  constructor({ endpoint, accessKey, secretKey }: S3Address, region = 'us-east-1') {
    this.#client = new Client(endpoint);
    this.#identity = { accessKey, secretKey, region };
    this.#host = endpoint.slice('http://'.length);
  }

  send(request: S3Request): Promise<S3Answer> {
    if (STACK !== 'faulty') return this.#sendOnce(request);
    return persistently(request.method, () => this.#sendOnce(request));
  }

  async #sendOnce(request: S3Request): Promise<S3Answer> {
    const answer = await this.#client.request({
      method: request.method,
      path: request.path,
      headers: this.#headers(request),
      body: request.body ?? null,
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const text = body.toString('utf8');
    return {
      status: answer.statusCode,
      headers: flat(answer.headers),
      body,
      text,
      code: /<Code>([^<]*)<\/Code>/.exec(text)?.[1],
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<S3Answer> {
    return this.send({ method: 'GET', path, headers });
  }

  head(path: string, headers: Record<string, string> = {}): Promise<S3Answer> {
    return this.send({ method: 'HEAD', path, headers });
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<S3Answer> {
    return this.send({ method: 'DELETE', path, headers });
  }

  put(
    path: string,
    body: string | Uint8Array = '',
    headers: Record<string, string> = {},
  ): Promise<S3Answer> {
    return this.send({ method: 'PUT', path, body, headers });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #headers(request: S3Request): Record<string, string> {
    const headers = { host: this.#host, ...request.headers };
    if (request.signed === false) return headers;
    const mark = request.path.indexOf('?');
    return signHeaders(
      this.#identity,
      {
        method: request.method,
        rawPath: mark === -1 ? request.path : request.path.slice(0, mark),
        rawQuery: mark === -1 ? '' : request.path.slice(mark + 1),
        headers,
      },
      new Date(),
      request.contentSha256 ?? sha256Hex(request.body ?? ''),
    );
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const flattened: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flattened[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flattened;
}

const LISTS = ['Contents', 'CommonPrefixes', 'Bucket'];

/** An XML document as plain objects of strings; the elements that repeat are always lists. */
export function readXml(text: string): unknown {
  return new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => LISTS.includes(name),
  }).parse(text);
}
