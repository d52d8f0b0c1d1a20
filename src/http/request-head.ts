import { remoteAddress } from './remote-address.js';
import type { HeaderMap, RequestHead } from './exchange.js';
import type { HttpRequest, HttpResponse } from './uws.js';

/** A request's head, and what it announces of a body. */
export class ReceivedHead implements RequestHead {
  #res: HttpResponse | undefined;
  #remoteAddress: string | undefined;

  constructor(
    readonly method: string,
    readonly rawPath: string,
    readonly rawQuery: string,
    readonly headers: HeaderMap,
    readonly malformed: string | undefined,
    res: HttpResponse,
  ) {
    this.#res = res;
  }

  /** Lazy: at 0.8 µs it costs as much as all headers together. */
  get remoteAddress(): string {
    if (this.#remoteAddress === undefined && this.#res !== undefined) {
      this.#remoteAddress = remoteAddress(this.#res);
    }
    return this.#remoteAddress ?? '';
  }

  /** The library's handle is dead. */
  detach(): void {
    this.#res = undefined;
  }

  get hasBody(): boolean {
    const length = this.headers.get('content-length');
    return (length !== undefined && length !== '0') || this.isChunked;
  }

  /** The library takes any Transfer-Encoding for chunked. */
  get isChunked(): boolean {
    return this.headers.has('transfer-encoding');
  }

  /**
   * A method with a body says nothing of one. Mostly there is none; but a header line without a name
   * hides all lines behind it from us, so that a body may follow which the library takes for the next
   * request. GET and DELETE say nothing either, and are not told apart.
   */
  get mayHideBody(): boolean {
    return (this.method === 'PUT' || this.method === 'POST') && !this.#saysLength;
  }

  get #saysLength(): boolean {
    return this.headers.has('content-length') || this.isChunked;
  }

  /** Bytes of body; undefined when the header block does not say it, or not clearly. */
  get contentLength(): number | undefined {
    const length = this.headers.get('content-length');
    return length !== undefined && this.malformed === undefined ? Number(length) : undefined;
  }
}

/** Headers whose repetition two readers of the request would understand in two ways. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'authorization',
]);

/** Below 2^53, beyond which Number() is not exact. The library takes up to 18 digits. */
const LENGTH = /^[0-9]{1,15}$/;
/** RFC 9110 5.6.2. The library takes whatever stands in front of the first blank, nothing as well. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The character that the library's decoder writes for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
/** The one control character that the library lets through in a value. */
const DELETE = '\x7f';

/**
 * Reads all of the library's request object, which is gone when the handler returns. One at a
 * time: the state lives in the module, so that no closure is made per request.
 */
export function readHead(req: HttpRequest, res: HttpResponse): ReceivedHead {
  headers = new Map();
  fault = undefined;
  req.forEach(takeHeader);
  const path = req.getUrl();
  // Undefined without a `?`, which the types do not say.
  const query = (req.getQuery() as string | undefined) ?? '';
  if (isMangled(path) || isMangled(query)) fault ??= 'The request URI is not valid UTF-8.';
  const method = req.getCaseSensitiveMethod();
  if (!TOKEN.test(method)) fault ??= 'The method is not a token.';
  return new ReceivedHead(method, path, query, headers, fault ?? framingFault(headers), res);
}

let headers: Map<string, string>;
let fault: string | undefined;

function takeHeader(name: string, value: string): void {
  if (isMangled(value)) {
    fault ??= `The header ${name} holds bytes that are not valid UTF-8, or a control character.`;
  }
  const former = headers.get(name);
  if (former === undefined) {
    headers.set(name, value);
    return;
  }
  if (SINGLE_HEADERS.has(name)) fault ??= `The header ${name} is given more than once.`;
  headers.set(name, `${former}, ${value}`);
}

function isMangled(text: string): boolean {
  return text.includes(REPLACEMENT) || text.includes(DELETE);
}

/**
 * Finds framing that the library and a proxy in front of it could read differently (RFC 9112 6.3).
 * Content-Length together with Transfer-Encoding never gets here: the library answers 400.
 */
function framingFault(headers: HeaderMap): string | undefined {
  const length = headers.get('content-length');
  if (length !== undefined && !LENGTH.test(length)) {
    return 'The header content-length is not a number of up to 15 digits.';
  }
  const encoding = headers.get('transfer-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return 'The only Transfer-Encoding understood is chunked.';
  }
  return undefined;
}
