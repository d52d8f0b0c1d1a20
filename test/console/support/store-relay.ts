import http from 'node:http';
import { text } from 'node:stream/consumers';
import { serve, type Served } from '../../support/serve.js';
import { startTestBed, type TestBed } from './console.js';

/** Passes requests on to a store, and lets something happen just before one of them. */
export class StoreRelay {
  /** Of the store; known when it has been started. */
  target = '';
  /** Done once, before the next manifest goes on. */
  beforeManifest: (() => Promise<unknown>) | undefined;
  /** Called for each request, before it goes on. */
  before: ((method: string, path: string) => Promise<unknown> | undefined) | undefined;
  /** Answers in the place of the store, without a body. */
  instead:
    | ((method: string, path: string) => { status: number; headers?: object } | undefined)
    | undefined;
  /** Changes what the store has answered. */
  answered: ((path: string, body: string) => string) | undefined;
  /** Listings are not answered until it is false, and those that came before never. */
  holdListings = false;
  /** Listings that have been asked for. */
  listings = 0;
  /** Cuts the next body in its middle, as a store does that is killed. */
  cutNextBody = false;
  /** Passes the next body on as a whole, and loses the answer, as of a store that is killed then. */
  loseNextAnswer = false;
  /** Methods of what went through. */
  readonly calls: string[] = [];
  #server: Served | undefined;

  async listen(): Promise<string> {
    this.#server = await serve((request, response) => void this.#pass(request, response));
    return this.#server.origin;
  }

  close(): void {
    this.#server?.close();
  }

  async #pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    this.calls.push(method ?? '');
    await this.before?.(method ?? '', url);
    const given = this.instead?.(method ?? '', url);
    if (given !== undefined) {
      request.resume();
      response.writeHead(given.status, { ...given.headers }).end();
      return;
    }
    if (method === 'PUT' && url.includes('multipart-manifest=put')) {
      const work = this.beforeManifest;
      this.beforeManifest = undefined;
      await work?.();
    }
    if (method === 'GET' && url.includes('format=json')) {
      this.listings += 1;
      if (this.holdListings) return;
    }
    const { hostname, port } = new URL(this.target);
    const onward = http.request({ agent: false, hostname, port, method, path: url, headers });
    const isLost = method === 'PUT' && this.loseNextAnswer;
    if (isLost) this.loseNextAnswer = false;
    onward.once('response', (answer) => {
      if (isLost) response.destroy();
      else if (this.answered !== undefined && url.includes('format=json')) {
        const change = this.answered;
        void text(answer).then((body) => {
          const changed = change(url, body);
          const length = { 'content-length': Buffer.byteLength(changed) };
          const headers = { ...answer.headers, ...length };
          response.writeHead(answer.statusCode ?? 500, headers).end(changed);
        });
      } else answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    onward.once('error', () => response.destroy());
    if (method === 'PUT' && this.cutNextBody) {
      this.cutNextBody = false;
      request.once('data', () => request.destroy());
      return;
    }
    request.pipe(onward);
  }
}

/** A console whose requests to its store go through a relay. */
export async function startRelayedBed(
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<TestBed & { readonly relay: StoreRelay }> {
  const relay = new StoreRelay();
  const bed = await startTestBed({ ...overrides, store_base: await relay.listen() });
  relay.target = bed.store.origin;
  const closeBed = bed.close.bind(bed);
  const close = async () => {
    await closeBed();
    relay.close();
  };
  return Object.assign(bed, { relay, close });
}
