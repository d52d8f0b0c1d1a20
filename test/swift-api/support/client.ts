import { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { RunningApi } from './api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** An array is sent in chunks, without a length. */
  readonly body?: string | Buffer | readonly string[];
}

/** A client that sends what it is told, with or without a token. */
export class ApiClient {
  readonly #agent = new Agent({ connections: 8 });

  constructor(
    private readonly origin: string,
    readonly token: string | undefined,
  ) {}

  static async login(api: RunningApi, user: string, key: string): Promise<ApiClient> {
    const client = new ApiClient(api.origin, undefined);
    const answer = await client.send('GET', '/auth/v1.0', {
      headers: { 'x-auth-user': user, 'x-auth-key': key },
    });
    await client.close();
    return new ApiClient(api.origin, answer.headers['x-auth-token']);
  }

  async send(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> {
    const answer = await this.#agent.request({
      origin: this.origin,
      method: method,
      path,
      headers: { ...(this.token === undefined ? {} : { 'x-auth-token': this.token }), ...headers },
      body: Array.isArray(body) ? Readable.from(body) : ((body as string | undefined) ?? null),
    });
    const flat = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(flat) as Record<string, string>,
      text: await answer.body.text(),
    };
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
