import { RawClient, type RawResponse } from './raw-http.js';
import type { SwiftUser } from './swift-lab.js';

/** A client of Swift's own API that sends headers as they are given, whatever HTTP thinks of them. */
export class PlainSwift {
  private constructor(
    private readonly endpoint: URL,
    readonly token: string,
    /** The account in Swift: `AUTH_…`. */
    readonly account: string,
  ) {}

  /** @param endpoint of a proxy with tempauth */
  static async login(endpoint: string, { account, user, key }: SwiftUser): Promise<PlainSwift> {
    const url = new URL(endpoint);
    const headers = { 'X-Auth-User': `${account}:${user}`, 'X-Auth-Key': key };
    const answer = await send(url, 'GET', '/auth/v1.0', headers);
    const [token] = answer.values('X-Auth-Token');
    if (token === undefined) throw new Error(`login: ${answer.statusLine}`);
    return new PlainSwift(url, token, `AUTH_${account}`);
  }

  /**
   * @param path below the account, encoded, with its query
   * @throws Error for an answer that is no success
   */
  async request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body = '',
  ): Promise<RawResponse> {
    const all = { 'X-Auth-Token': this.token, ...headers };
    const answer = await send(this.endpoint, method, `/v1/${this.account}/${path}`, all, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.statusLine}`);
    return answer;
  }
}

async function send(
  { hostname, port }: URL,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<RawResponse> {
  const client = await RawClient.connect(Number(port), hostname);
  try {
    const all = { ...headers, Host: hostname, 'Content-Length': String(Buffer.byteLength(body)) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    client.send(Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`));
    return await client.readResponse(method);
  } finally {
    client.destroy();
  }
}
