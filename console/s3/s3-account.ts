import { encodeUriComponentAws, encodeUriPath } from '../../src/lib/uri.js';
import type { UpstreamAddress } from '../swift/address.js';
import { isReadable } from '../swift/server.js';
import {
  readBody,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../swift/upstream.js';
import { S3StatusError } from './errors.js';
import { presignedQuery, rawQuery, sha256Hex, signRequest, UNSIGNED_PAYLOAD } from './sign.js';
import { parseXml, textIn, type XmlNode } from './xml.js';

/** The S3 API that a console signs requests for. */
export interface S3Endpoint {
  readonly upstream: Upstream;
  readonly address: UpstreamAddress;
  readonly region: string;
}

/** A body that is a stream needs `content-length` among the headers. */
export interface S3Request extends Omit<UpstreamRequest, 'method' | 'rawPath'> {
  readonly bucket: string;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

const TEXT_BYTES_MAX = 64 * 1024;
/** A thousand versions with the longest keys, escaped. */
const LISTING_BYTES_MAX = 16 * 1024 * 1024;

/** S3's codes for an access key, or a secret, that it does not know. */
const UNKNOWN_KEY: ReadonlySet<string> = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch']);

/** The status that an error after a 200 would have had. */
const LATE_STATUS: ReadonlyMap<string, number> = new Map([
  ['PreconditionFailed', 412],
  ['ServiceUnavailable', 503],
  ['InsufficientStorage', 507],
]);

/**
 * A user on the S3 API: signs with the key of the user's login, which stays in memory here. Where
 * several access keys may have that secret, the first one that S3 knows is used.
 */
export class S3Account {
  #accessKeys: readonly string[];

  constructor(
    private readonly endpoint: S3Endpoint,
    accessKeys: readonly string[],
    private readonly secretKey: string,
    private readonly now: () => number = Date.now,
  ) {
    this.#accessKeys = accessKeys;
  }

  /**
   * Sends a request, whatever the status of its answer. A stream is sent once: something else has to
   * have been asked before, so that the access key is known.
   * @throws UpstreamError
   */
  async send(method: string, request: S3Request): Promise<UpstreamAnswer> {
    for (;;) {
      const [accessKey = '', ...others] = this.#accessKeys;
      const answer = await this.#sendAs(accessKey, method, request);
      if (answer.status !== 403 || others.length === 0 || isReadable(request.body)) return answer;
      const { code } = await statusError(answer);
      if (!UNKNOWN_KEY.has(code)) throw new S3StatusError(403, code);
      // Another request may have found the one that S3 knows meanwhile.
      if (this.#accessKeys[0] === accessKey) this.#accessKeys = others;
    }
  }

  /** Sends a request without a key, to see whether the bucket is open to all. @throws UpstreamError */
  async askAsAnybody(method: string, { bucket, key = '' }: S3Request): Promise<UpstreamAnswer> {
    const { upstream, address } = this.endpoint;
    const rawPath = `/${encodeUriComponentAws(bucket)}/${encodeUriPath(key)}`;
    const answer = await upstream.send({ method, rawPath, headers: { host: hostOf(address) } });
    await readBody(answer.body, TEXT_BYTES_MAX);
    return answer;
  }

  /**
   * The credentials for a program that acts as this user, with the access key that S3 knows.
   * @throws UpstreamError; S3StatusError where S3 knows none of them
   */
  async credentials(): Promise<{ readonly accessKey: string; readonly secretKey: string }> {
    await this.do([200], 'GET', { bucket: '' });
    return { accessKey: this.#accessKeys[0] ?? '', secretKey: this.secretKey };
  }

  /**
   * An address that lets everybody who has it send this request as this user, until it expires or
   * the user's key ends. The access key is one that S3 has taken before.
   *
   * @param at where those who get the address reach S3
   * @param expiresS seconds, 604800 at most
   */
  presigned(
    method: 'GET' | 'HEAD' | 'PUT',
    { bucket, key = '', query = {} }: Pick<S3Request, 'bucket' | 'key' | 'query'>,
    at: UpstreamAddress,
    expiresS: number,
  ): string {
    const host = hostOf(at);
    const rawPath = `${at.basePath}/${encodeUriComponentAws(bucket)}/${encodeUriPath(key)}`;
    const { region } = this.endpoint;
    const search = presignedQuery(
      { accessKey: this.#accessKeys[0] ?? '', secretKey: this.secretKey, region },
      { method, rawPath, query: definedOf(query), host },
      expiresS,
      this.now(),
    );
    return `${at.secure ? 'https' : 'http'}://${host}${rawPath}?${search}`;
  }

  /** As {@link send}, for answers of these statuses. @throws S3StatusError for any other */
  async expect(
    statuses: readonly number[],
    method: string,
    request: S3Request,
  ): Promise<UpstreamAnswer> {
    const answer = await this.send(method, request);
    if (statuses.includes(answer.status)) return answer;
    throw await statusError(answer);
  }

  /** As {@link expect}, where the body says nothing. */
  async do(
    statuses: readonly number[],
    method: string,
    request: S3Request,
  ): Promise<UpstreamAnswer> {
    const answer = await this.expect(statuses, method, request);
    await readBody(answer.body, TEXT_BYTES_MAX);
    return answer;
  }

  /** As {@link expect} with 200, and reads the document: an error that comes late is one, too. */
  async read(method: string, request: S3Request): Promise<XmlNode> {
    const root = parseXml(await this.readText(method, request));
    // A long operation is answered with 200 before it is known whether it fails.
    const code = textIn(root, 'Code');
    if (code !== '') throw new S3StatusError(LATE_STATUS.get(code) ?? 500, code);
    return root;
  }

  async readText(method: string, request: S3Request): Promise<string> {
    const answer = await this.expect([200], method, request);
    return (await readBody(answer.body, LISTING_BYTES_MAX)).toString('utf8');
  }

  #sendAs(accessKey: string, method: string, request: S3Request): Promise<UpstreamAnswer> {
    const { upstream, address, region } = this.endpoint;
    const { bucket, key, headers = {}, body, idleMs, signal } = request;
    const query = definedOf(request.query ?? {});
    let path = `/${encodeUriComponentAws(bucket)}`;
    if (key !== undefined) path += `/${encodeUriPath(key)}`;
    const rawPath = address.basePath + path;
    const payload = isReadable(body) ? UNSIGNED_PAYLOAD : sha256Hex(body ?? '');
    const length = isReadable(body)
      ? {}
      : { 'content-length': String(Buffer.byteLength(body ?? '')) };
    const signed = signRequest(
      { accessKey, secretKey: this.secretKey, region },
      { method, rawPath, query, headers: { host: hostOf(address), ...headers } },
      payload,
      this.now(),
    );
    const search = rawQuery(query);
    return upstream.send({
      method,
      rawPath: search === '' ? path : `${path}?${search}`,
      headers: method === 'PUT' || method === 'POST' ? { ...length, ...signed } : signed,
      body,
      idleMs,
      signal,
    });
  }
}

async function statusError(answer: UpstreamAnswer): Promise<S3StatusError> {
  const text = await readBody(answer.body, TEXT_BYTES_MAX).catch(() => Buffer.alloc(0));
  let code = '';
  let detail = '';
  try {
    const document = parseXml(text.toString('utf8'));
    code = textIn(document, 'Code');
    detail = textIn(document, 'Message');
  } catch {
    // Answers to HEAD have no body.
  }
  return new S3StatusError(answer.status, code, detail);
}

function definedOf(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}

function hostOf({ host, port, secure }: UpstreamAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (secure ? 443 : 80) ? name : `${name}:${port}`;
}
