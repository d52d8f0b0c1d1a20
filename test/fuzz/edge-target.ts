import { setImmediate as turn } from 'node:timers/promises';
import type { Exchange } from '../../src/http/exchange.js';
import { startEdge, type Edge } from '../http/support/edge.js';
import { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import type { Evidence, Handled } from './edge-judge.js';

const BODY_BYTES_MAX = 1024 * 1024;

/** An edge in this process, that notes what reaches its handler. */
export class EdgeTarget {
  #handled: Handled[] = [];
  #later = false;
  #edge: Edge | undefined;
  #barrier: RawClient | undefined;

  async start(): Promise<void> {
    // Nothing of a case outlives it: what would be waited for is not, here.
    this.#edge = await startEdge((exchange) => this.#handle(exchange), {
      drainTimeoutMs: 50,
      keepAliveTouchMs: 20,
    });
  }

  get errors(): readonly unknown[] {
    return this.#running.errors;
  }

  /** @param later - answers come in a later turn of the event loop than requests */
  async run(pieces: readonly string[], later: boolean): Promise<Evidence> {
    this.#handled = [];
    this.#later = later;
    const client = await RawClient.connect(this.#running.server.port);
    let received = '';
    client.socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
    // Nothing is sent to a server that has closed: that is an end like any other.
    for (const piece of pieces) {
      if (!client.closed) client.send(piece);
      await this.#pass();
    }
    await this.#pass();
    const evidence = {
      sent: pieces.join(''),
      handled: this.#handled,
      received,
      closed: client.closed,
    };
    client.destroy();
    await until(() => this.#running.server.inFlight === 0);
    return evidence;
  }

  /** When others were answered, three turns long, the server has read and answered all there was. */
  async #pass(): Promise<void> {
    for (let n = 0; n < 3; n++) {
      this.#barrier = this.#barrier?.closed === false ? this.#barrier : await this.#connect();
      const { status } = await this.#barrier.get('/-barrier');
      if (status !== 204) throw new Error(`others are answered with ${status}`);
    }
  }

  #connect(): Promise<RawClient> {
    return this.#running.connect();
  }

  get #running(): Edge {
    if (this.#edge === undefined) throw new Error('the edge has not started');
    return this.#edge;
  }

  async #handle(exchange: Exchange): Promise<void> {
    const { method, rawPath, rawQuery, headers, malformed } = exchange.request;
    if (rawPath === '/-barrier') {
      await exchange.respond({ status: 204, headers: [] });
      return;
    }
    const query = rawQuery === '' ? '' : `?${rawQuery}`;
    const handled: Handled = {
      method,
      target: `${rawPath}${query}`,
      headers: new Map(headers),
      malformed: malformed !== undefined,
      body: undefined,
    };
    this.#handled.push(handled);
    if (!handled.malformed && rawPath !== '/early') {
      try {
        handled.body = (await exchange.body.collect(BODY_BYTES_MAX)).toString('latin1');
      } catch {
        exchange.cut();
        return;
      }
    }
    if (this.#later) await turn();
    await exchange.respond({
      status: handled.malformed ? 400 : 200,
      headers: [['X-Target', encodeURIComponent(handled.target)]],
      body: 'answer',
    });
  }
}
