import http from 'node:http';
import { presignQuery, type SigningIdentity } from '../../support/sigv4.js';

/** Where and as whom clients work. */
export interface LoadTarget {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
}

export interface LoadOptions {
  /** Clients that keep their connection, and as many that make a new one for each request. */
  readonly clients: number;
  /** They stop when all together have done so many, and `end` was called. */
  readonly requests: number;
}

export interface LoadResult {
  readonly done: number;
  /** The failures, in words; a failed request is never sent again. */
  readonly failures: readonly string[];
  /** Answers that said `Connection: close`. */
  readonly closes: number;
}

/** Clients as Node has them, which never send a request twice: each failure is one of the service. */
export class RetrylessLoad {
  done = 0;
  closes = 0;
  readonly failures: string[] = [];
  readonly #watchers: { readonly count: number; readonly reached: () => void }[] = [];
  readonly #host: string;
  #isNeeded = true;

  constructor(
    private readonly target: LoadTarget,
    private readonly options: LoadOptions,
  ) {
    this.#host = new URL(target.endpoint).host;
  }

  /** Resolves when so many requests are done. */
  reached(count: number): Promise<void> {
    if (this.done >= count) return Promise.resolve();
    return new Promise((reached) => {
      this.#watchers.push({ count, reached });
    });
  }

  /** There was load for as long as it was needed. */
  end(): void {
    this.#isNeeded = false;
  }

  async run(): Promise<LoadResult> {
    const clients = Array.from({ length: this.options.clients }, (_, index) => index);
    await Promise.all(clients.flatMap((index) => [this.#keeps(index), this.#reconnects(index)]));
    const { done, failures, closes } = this;
    return { done, failures, closes };
  }

  async #keeps(index: number): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const client = new Client(this.target.endpoint, `keeps-${index}`, agent, this.#requests());
    await this.#work(client);
    agent.destroy();
  }

  #reconnects(index: number): Promise<void> {
    const agent = new http.Agent({ keepAlive: false });
    return this.#work(
      new Client(this.target.endpoint, `reconnects-${index}`, agent, this.#requests()),
    );
  }

  #requests(): Requests {
    const { bucket, ...identity } = this.target;
    return new Requests({ ...identity, region: 'us-east-1' }, this.#host, bucket);
  }

  async #work(client: Client): Promise<void> {
    while (this.#isNeeded || this.done < this.options.requests) {
      const { problem, closed } = await client.next();
      this.done += 1;
      if (problem !== undefined) this.failures.push(problem);
      if (closed) this.closes += 1;
      for (const { count, reached } of this.#watchers) if (this.done >= count) reached();
    }
  }
}

/** Signed once a key: the clients are to be faster than the service. */
class Requests {
  readonly #queries = new Map<string, string>();

  constructor(
    private readonly identity: SigningIdentity,
    private readonly host: string,
    private readonly bucket: string,
  ) {}

  path(method: string, key: string): string {
    const rawPath = `/${this.bucket}/${key}`;
    const id = `${method} ${key}`;
    let query = this.#queries.get(id);
    if (query === undefined) {
      const request = { method, rawPath, headers: { host: this.host } };
      query = presignQuery(this.identity, request, new Date(), 3600);
      this.#queries.set(id, query);
    }
    return `${rawPath}?${query}`;
  }
}

interface Outcome {
  readonly problem: string | undefined;
  readonly closed: boolean;
}

/** Puts an object, reads it back, and so on; each body is checked. */
class Client {
  #turn = 0;

  constructor(
    private readonly endpoint: string,
    private readonly key: string,
    private readonly agent: http.Agent,
    private readonly requests: Requests,
  ) {}

  async next(): Promise<Outcome> {
    const isPut = this.#turn % 2 === 0;
    const version = Math.floor(this.#turn / 2);
    this.#turn += 1;
    const body = `${this.key} ${version} `.padEnd(1024, '.');
    const method = isPut ? 'PUT' : 'GET';
    try {
      const answer = await this.#send(method, isPut ? body : undefined);
      const closed = answer.connection === 'close';
      if (answer.status !== 200) {
        return { problem: `${method} ${this.key}: ${answer.status} ${answer.body}`, closed };
      }
      if (isPut || answer.body === body) return { problem: undefined, closed };
      // Read again: a commit that is late is another bug than one that is lost.
      const again = await this.#send('GET', undefined);
      const [wanted, came, later] = [body, answer.body, again.body].map((text) =>
        text.slice(0, 40),
      );
      return { problem: `GET ${this.key}: put ${wanted}, read ${came}, then ${later}`, closed };
    } catch (error) {
      return { problem: `${method} ${this.key}: ${String(error)}`, closed: false };
    }
  }

  #send(method: string, body: string | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const url = `${this.endpoint}${this.requests.path(method, this.key)}`;
      const request = http.request(url, { method, agent: this.agent }, (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, body: text, connection: headers.connection });
        });
      });
      request.once('error', reject);
      if (body !== undefined) request.setHeader('Content-Length', body.length);
      request.end(body);
    });
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly connection: string | undefined;
}
