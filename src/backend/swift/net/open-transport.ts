import type { MaybePromise } from '../../../lib/promises.js';
import type { CallContext } from '../../backend.js';
import { BackendError } from '../../errors.js';
import type { SwiftInfo, SwiftRequest, SwiftResponse, SwiftTransport } from '../transport.js';
import {
  type TransportLoad,
  fillOptions,
  type FilledOptions,
  type TransportOptions,
} from './options.js';
import { InfoSource } from './cluster-info.js';
import { keystoneLogin, tempauthLogin, type SendLogin, TokenSource, type Login } from './tokens.js';
import { Network } from './network.js';
import type { Authority } from './sender.js';
import { signerOf } from './signer.js';
import { Upload } from './upload.js';
import { pushHeaders, requestPath, wholeHeaders } from './wire.js';

export type { SwiftCredential, TransportOptions } from './options.js';
export type * from './options.js';

/** A transport that also tells what it does, for metrics. */
export interface OpenTransport extends SwiftTransport {
  load(): TransportLoad;
}

/**
 * Connects on demand: that no proxy answers is found out by `ping`, `info` and requests.
 * @throws TypeError for an endpoint or a login address that is no URL
 */
export function openTransport(options: TransportOptions): OpenTransport {
  return new Transport(fillOptions(options));
}

/** Keystone answers in tens of milliseconds, tempauth in less. */
const LOGIN_TIMEOUT_MS = 10_000;
const TEMPAUTH_PATH = '/auth/v1.0';
const DEFAULT_DOMAIN = 'Default';
const NOTHING = Buffer.alloc(0);

class Transport implements OpenTransport {
  readonly #proxies: Network;
  /** The network for logins. */
  readonly #identity: Network;
  readonly #tokens: TokenSource;
  readonly #info: InfoSource;

  constructor(private readonly options: FilledOptions) {
    const { endpoints, authUrl, filterSecret, infoMs } = options;
    this.#proxies = new Network(endpoints, options, signerOf(filterSecret), (endpoint) =>
      this.#info.check(endpoint),
    );
    const url = authUrl === undefined ? undefined : new URL(authUrl);
    const atProxies =
      url === undefined || endpoints.some((name) => new URL(name).origin === url.origin);
    this.#identity = atProxies
      ? this.#proxies
      : new Network([url.origin], options, signerOf(undefined));
    this.#tokens = new TokenSource(this.#login(url?.pathname ?? TEMPAUTH_PATH));
    this.#info = new InfoSource(
      this.#proxies.endpoints.all,
      (endpoint, signed) => this.#proxies.getAt(endpoint, '/info', signed),
      infoMs,
      filterSecret !== undefined,
      (endpoint) => {
        this.#proxies.trust.confirm(endpoint);
      },
    );
  }

  async request(request: SwiftRequest): Promise<SwiftResponse> {
    const { context, method, headers, headersTimeoutMs } = request;
    const given = bodyOf(request);
    const body = given instanceof Promise ? await given : given;
    const wireHeaders: string[] = [];
    pushHeaders(wireHeaders, headers);
    if (this.#info.takesWholeHeaders) pushHeaders(wireHeaders, wholeHeaders(headers));
    return this.#proxies.sender.send({
      context,
      method,
      path: requestPath(request),
      headers: wireHeaders,
      body,
      repeatable: request.repeatable ?? (method === 'GET' || method === 'HEAD'),
      signed: true,
      headersTimeoutMs,
      authority: this.#authority(request.account),
    });
  }

  info(): Promise<SwiftInfo> {
    return this.#info.get();
  }

  ping(context: CallContext): Promise<void> {
    return this.#proxies.ping(context);
  }

  load(): TransportLoad {
    return this.#proxies.load();
  }

  close(): Promise<void> {
    this.#proxies.close();
    this.#identity.close();
    return Promise.resolve();
  }

  #authority(account: string): Authority {
    const credential = this.options.credentialFor(account);
    if (credential === undefined) {
      throw new BackendError('Unavailable', `no user of Swift acts in the account ${account}`);
    }
    const tokens = this.#tokens;
    const info = this.#info;
    return {
      token: () => (info.needsTokens ? tokens.token(credential) : undefined),
      refused: (token) => {
        if (token === undefined) info.requireTokens();
        else tokens.refused(credential, token);
      },
    };
  }

  #login(path: string): Login {
    const send: SendLogin = ({ method, path, headers, body }) =>
      this.#identity.sender.send({
        // Shared by all who wait for the token: none of them gives it up for the others.
        context: { requestId: 'ringway-login' },
        method,
        path,
        headers,
        body,
        repeatable: true,
        signed: false,
        headersTimeoutMs: LOGIN_TIMEOUT_MS,
      });
    if (!/\/v3\/?$/.test(path)) return tempauthLogin(send, path);
    const { project, domain = DEFAULT_DOMAIN } = this.options;
    return keystoneLogin(send, { path, project, domain });
  }
}

/** An empty stream is read here: there is nothing to wait for `100 Continue` with. */
function bodyOf({ body }: SwiftRequest): MaybePromise<Buffer | Upload | undefined> {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  const upload = new Upload(body.source, body.size);
  return body.size !== 0 ? upload : upload.next().then(() => NOTHING);
}
