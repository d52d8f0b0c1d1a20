import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import { findLeak, type Secrets } from './leaks.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body, read as JSON. */
  json(): never;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer | undefined;
  readonly stream?: Readable;
}

/** An upload under way. */
export interface Upload {
  readonly body: Writable;
  readonly answer: Promise<{ readonly status: number }>;
}

/**
 * A client like a browser's page, or an attacker's: every header can be replaced. An answer that
 * shows something of the store is an error, whatever its test is about.
 */
export class ConsoleClient {
  cookie: string | undefined;
  csrf: string | undefined;
  setCookie: string | undefined;

  constructor(
    readonly port: number,
    private readonly secrets: Secrets,
  ) {}

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

  /** The JSON of an answer, which has to be 200. */
  async read<T>(path: string): Promise<T> {
    const answer = await this.get(path);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json();
  }

  post(path: string, body: object): Promise<Answer> {
    return this.send('POST', path, { body });
  }

  /** Starts a run, which has to be accepted. @returns its id */
  async start(path: string, body: object): Promise<string> {
    const answer = await this.post(path, body);
    expect(answer.status, answer.text).to.equal(202);
    return (answer.json() as { id: string }).id;
  }

  /**
   * Opens a stream of events, of the topics that a path names.
   * @returns what they say, one after the other; ends with `return`, as a loop does that is left
   */
  async *events(path = '/api/events?topics=jobs'): AsyncGenerator<{ event: string; data: never }> {
    const { host, cookie } = this.#headers();
    const headers = { host, ...(cookie === undefined ? {} : { cookie }) };
    const request = http.get({ port: this.port, host: '127.0.0.1', path, headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = JSON.stringify(response.headers);
    try {
      for await (const chunk of response) {
        text += String(chunk);
        const leak = findLeak(text, this.secrets, path);
        if (leak !== undefined) throw new Error(`${path} shows ${leak}: ${text}`);
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const [, event = ''] = /^event: (.*)$/m.exec(frame) ?? [];
          const [, data = 'null'] = /^data: (.*)$/m.exec(frame) ?? [];
          yield { event, data: JSON.parse(data) as never };
        }
      }
    } finally {
      request.destroy();
    }
  }

  /** Sends the head of an upload; resolves when the console asks for the body. */
  async beginUpload(path: string, bytes: number): Promise<Upload> {
    const request = http.request({
      port: this.port,
      host: '127.0.0.1',
      method: 'PUT',
      path,
      headers: {
        ...this.#headers(),
        'content-type': 'application/octet-stream',
        'content-length': bytes,
        expect: '100-continue',
      },
      agent: false,
    });
    const answer = new Promise<{ readonly status: number }>((resolve, reject) => {
      request.once('error', reject);
      request.once('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0 });
      });
    });
    await Promise.race([once(request, 'continue'), answer]);
    return { body: request, answer };
  }

  send(method: string, path: string, { headers = {}, body, stream }: Sent = {}): Promise<Answer> {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
    const all: Record<string, string | undefined> = {
      ...this.#headers(),
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
          const answer = answerOf(response, Buffer.concat(chunks));
          const leak = findLeak(JSON.stringify(answer.headers) + answer.text, this.secrets, path);
          if (leak === undefined) resolve(answer);
          else reject(new Error(`${method} ${path} shows ${leak}: ${answer.text.slice(0, 500)}`));
        });
      });
      if (stream !== undefined) stream.pipe(request);
      else request.end(isJson ? JSON.stringify(body) : body);
    });
  }

  #headers() {
    return {
      host: `127.0.0.1:${this.port}`,
      origin: `http://127.0.0.1:${this.port}`,
      cookie: this.cookie,
      'x-csrf-token': this.csrf,
    };
  }
}

function answerOf({ statusCode, headers }: IncomingMessage, bytes: Buffer): Answer {
  const status = statusCode ?? 0;
  const text = bytes.toString('utf8');
  return { status, headers, bytes, text, json: () => JSON.parse(text) as never };
}

/** The code of a failure. */
export function codeOf(answer: Answer): string {
  return (answer.json() as { error: { code: string } }).error.code;
}

/** @param what the case, where a test has several */
export async function expectRefused(
  request: Answer | Promise<Answer>,
  status: number,
  code: string,
  what?: string,
): Promise<void> {
  const answer = await request;
  expect([answer.status, codeOf(answer)], what).to.deep.equal([status, code]);
}
