import { randomBytes } from 'node:crypto';
import { UNSIGNED_PAYLOAD, signRequest } from '../../../s3/sign.js';
import type { UpstreamAddress } from '../../../swift/address.js';
import { unescapeXml } from './canonical.js';
import type { Dialect, ShadowStep } from './case.js';
import { sendRaw, type RawAnswer } from './raw-request.js';

/** The identity that requests are sent with: a token of Swift with its account, or a key that signs. */
export type Identity =
  | { readonly dialect: 'swift'; readonly token: string; readonly account: string }
  | {
      readonly dialect: 's3';
      readonly accessKey: string;
      readonly secretKey: string;
      readonly region: string;
    };

const TIMEOUT_MS = 4000;
/** A run that was ended waits no longer for a container to go. */
const LEAVE_MS = 1000;
const DELETES_MAX = 200;

/** One of the services that are compared, as the user of the session. */
export class ShadowSide {
  readonly dialect: Dialect;

  constructor(
    readonly label: string,
    private readonly address: UpstreamAddress,
    private readonly identity: Identity,
    private readonly now: () => number = Date.now,
  ) {
    this.dialect = identity.dialect;
  }

  /**
   * Sends a step as it is, with nothing mended; what says who asks is added.
   * @param signal - ends the wait for an answer, which is `closed` then
   */
  send(
    step: ShadowStep,
    container: string,
    signal?: AbortSignal,
    timeoutMs = TIMEOUT_MS,
  ): Promise<RawAnswer> {
    const isHead = step.method.toUpperCase() === 'HEAD';
    const bytes = this.bytesOf(step, container);
    return sendRaw(this.address, bytes, { isHead, timeoutMs, signal });
  }

  /**
   * A new scratch container. One that was asked for and not answered may be there all the same, and is
   * deleted.
   * @throws Error where it cannot be made
   */
  async create(signal?: AbortSignal): Promise<string> {
    const container = `shadow-${randomBytes(6).toString('hex')}`;
    const { status, transport } = await this.#plain('PUT', '', container, signal);
    if (status === null) await this.#plain('DELETE', '', container, undefined, LEAVE_MS);
    if (status !== null && status <= 299) return container;
    const answer =
      status === null ? `has given no answer (${transport})` : `has answered ${status}`;
    throw new Error(`Side ${this.label} ${answer} where a container for the test was to be made.`);
  }

  /**
   * Deletes the container with what is in it; what stays is named `shadow-…`. A side that leaves one
   * request without an answer is asked no more.
   * @param isHurried - it is waited for a second at most for each answer
   */
  async remove(container: string, isHurried = false): Promise<void> {
    const limitMs = isHurried ? LEAVE_MS : TIMEOUT_MS;
    const { body, status } = await this.#plain('GET', '', container, undefined, limitMs);
    if (status === null) return;
    const text = body.toString('utf8');
    const names =
      this.dialect === 'swift'
        ? text.split('\n').filter(Boolean)
        : [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key));
    for (const name of names.slice(0, DELETES_MAX)) {
      const target = `/${encodeName(name)}`;
      const { status: done } = await this.#plain('DELETE', target, container, undefined, limitMs);
      if (done === null) return;
    }
    await this.#plain('DELETE', '', container, undefined, limitMs);
  }

  /** @returns the request as it goes over the wire */
  bytesOf(step: ShadowStep, container: string): Buffer {
    const account = this.identity.dialect === 'swift' ? this.identity.account : '';
    const fill = (text: string): string =>
      text.replaceAll('${C}', container).replaceAll('${A}', encodeURIComponent(account));
    const { host, port, basePath } = this.address;
    const body = Buffer.from(step.body_b64, 'base64');
    const headers = step.headers.map(([name, value]) => [name, fill(value)] as const);
    const has = (name: string) => headers.some(([one]) => one.toLowerCase() === name);
    const target = basePath + fill(step.target);
    const own: (readonly [string, string])[] = [
      ['Host', `${host.includes(':') ? `[${host}]` : host}:${port}`],
      ['Connection', 'close'],
    ];
    const sendsBody = body.length > 0 || /^(?:PUT|POST)$/i.test(step.method);
    if (sendsBody && !has('content-length') && !has('transfer-encoding')) {
      own.push(['Content-Length', String(body.length)]);
    }
    const all = [
      ...own,
      ...this.#identify(step.method, target, own[0]?.[1] ?? '', headers),
      ...headers,
    ];
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const head = Buffer.from(`${step.method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
    return Buffer.concat([head, body]);
  }

  #identify(
    method: string,
    target: string,
    host: string,
    headers: readonly (readonly [string, string])[],
  ): (readonly [string, string])[] {
    const { identity } = this;
    if (identity.dialect === 'swift') return [['X-Auth-Token', identity.token]];
    const [rawPath, rawQuery = ''] = splitOnce(target);
    const query = rawQuery
      .split('&')
      .filter(Boolean)
      .map((part) => splitOnce(part, '='))
      .map(([name, value = '']) => [decode(name), decode(value)] as const);
    // AWS asks for these to be signed; others are free to be anything.
    const signed = headers.filter(([name]) => /^x-amz-/i.test(name));
    const given = new Map<string, string>([['host', host]]);
    for (const [name, value] of signed) {
      const key = name.toLowerCase();
      const text = value.trim().replace(/\s+/g, ' ');
      const known = given.get(key);
      given.set(key, known === undefined ? text : `${known},${text}`);
    }
    const request = {
      // A name that comes twice is signed twice.
      ...{ method, rawPath, query },
      headers: Object.fromEntries(given),
    };
    const all = signRequest(identity, request, UNSIGNED_PAYLOAD, this.now());
    return ['authorization', 'x-amz-date', 'x-amz-content-sha256'].map((name) => [
      name,
      all[name] ?? '',
    ]);
  }

  #plain(
    method: string,
    rest: string,
    container: string,
    signal?: AbortSignal,
    timeoutMs?: number,
  ): Promise<RawAnswer> {
    const root = this.dialect === 'swift' ? '/v1/${A}/${C}' : '/${C}';
    const step = { method, target: root + rest, headers: [], body_b64: '' };
    return this.send(step, container, signal, timeoutMs);
  }
}

function splitOnce(text: string, mark = '?'): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
