import http, { type IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** What the body says as JSON. */
  json(): never;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer | undefined;
  readonly stream?: Readable;
}

/** What a browser's page does, and what an attacker's would: every header can be replaced. */
export class ConsoleClient {
  cookie: string | undefined;
  csrf: string | undefined;
  setCookie: string | undefined;

  constructor(readonly port: number) {}

  async login(credentials: object, headers: Sent['headers'] = {}): Promise<Answer> {
    const answer = await this.send('POST', '/api/session', { body: credentials, headers });
    if (answer.status === 200) {
      this.setCookie = answer.headers['set-cookie']?.[0];
      this.cookie = this.setCookie?.split(';')[0];
      this.csrf = (answer.json() as { csrf: string }).csrf;
    }
    return answer;
  }

  get(path: string, headers: Sent['headers'] = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body: object): Promise<Answer> {
    return this.send('POST', path, { body });
  }

  send(method: string, path: string, { headers = {}, body, stream }: Sent = {}): Promise<Answer> {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
    const all: Record<string, string | undefined> = {
      host: `127.0.0.1:${this.port}`,
      origin: `http://127.0.0.1:${this.port}`,
      cookie: this.cookie,
      'x-csrf-token': this.csrf,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] =>
      Boolean(entry[1]),
    );
    return new Promise((resolve, reject) => {
      const request = http.request({
        port: this.port,
        host: '127.0.0.1',
        method,
        path,
        headers: Object.fromEntries(given),
        agent: false,
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
        });
      });
      if (stream !== undefined) stream.pipe(request);
      else request.end(isJson ? JSON.stringify(body) : body);
    });
  }
}

function answerOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const text = bytes.toString('utf8');
  return { status, headers, bytes, text, json: () => JSON.parse(text) as never };
}

/** The code of a failure. */
export function codeOf(answer: Answer): string {
  return (answer.json() as { error: { code: string } }).error.code;
}
