import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import type { SwiftLab } from './swift-lab.js';

export interface SwiftAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** An iterable is sent in chunks, without a length. */
  readonly body?: Buffer | string | AsyncIterable<Buffer>;
  /** Which of the lab's proxies; default the first. */
  readonly proxy?: number;
}

/** The signature as the filter in `ops/swift` documents it, not as the gateway makes it. */
export function signatureHeaders(
  secret: string,
  method: string,
  path: string,
  seconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  return {
    'x-gateway-time': String(seconds),
    'x-gateway-signature': createHmac('sha256', secret)
      .update(`${method}\n${path}\n${seconds}`)
      .digest('hex'),
  };
}

/** The secret that the lab's gateway shares with its proxies. */
export function filterSecret(lab: SwiftLab): string {
  return readFileSync(String(lab.gatewayKeys().swift_filter_secret_file), 'utf8').trim();
}

function sendable(body: SendOptions['body']): Buffer | string | Readable | null {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body);
}

/** A user of the lab with a plain Swift client, or, with the secret, the gateway itself. */
export class SwiftClient {
  private readonly agent = new Agent({ connections: 64 });
  private token: Promise<string> | undefined;

  constructor(
    readonly lab: SwiftLab,
    private readonly user: { account: string; user: string; key: string } | undefined,
    private readonly secret?: string,
  ) {}

  /** The gateway's service user, with its signature. */
  static gateway(lab: SwiftLab): SwiftClient {
    return new SwiftClient(lab, lab.state.serviceUser, filterSecret(lab));
  }

  /** @param path as on the wire, with the query, e.g. `/v1/AUTH_test/c/o?symlink=get` */
  async send(method: string, path: string, options: SendOptions = {}): Promise<SwiftAnswer> {
    const answer = await this.sendOnce(method, path, options);
    if (answer.status !== 401 || this.user === undefined) return answer;
    // Tokens live in memcached, which a test may restart.
    this.token = undefined;
    return this.sendOnce(method, path, options);
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private async sendOnce(method: string, path: string, options: SendOptions): Promise<SwiftAnswer> {
    const { statusCode, headers, body } = await request(
      `${this.lab.state.endpoints[options.proxy ?? 0]!}${path}`,
      {
        // Swift's COPY is none of the methods that the types know.
        method: method as 'PUT',
        dispatcher: this.agent,
        headers: { ...(await this.proof(method, path)), ...options.headers },
        body: sendable(options.body),
      },
    );
    const bytes = Buffer.from(await body.arrayBuffer());
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    return {
      status: statusCode,
      headers: Object.fromEntries(flat) as Record<string, string>,
      body: bytes,
      text: bytes.toString('utf8'),
    };
  }

  private async proof(method: string, path: string): Promise<Record<string, string>> {
    if (this.user === undefined) return {};
    this.token ??= this.login(this.user);
    const signed = this.secret === undefined ? {} : signatureHeaders(this.secret, method, path);
    return { 'x-auth-token': await this.token, ...signed };
  }

  private async login(user: { account: string; user: string; key: string }): Promise<string> {
    const { headers, body } = await request(this.lab.state.authUrl, {
      dispatcher: this.agent,
      headers: { 'x-auth-user': `${user.account}:${user.user}`, 'x-auth-key': user.key },
    });
    await body.dump();
    return String(headers['x-auth-token']);
  }
}
