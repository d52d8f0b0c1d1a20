import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Addresses } from '../../../console/surfaces/monitor/addresses.js';

/** The answer of a fake to a path with its query: JSON or text, or nothing for 404. */
export type FakeAnswers = (url: URL, response: ServerResponse) => unknown;

/** A server of the test's own, which can be killed and started again on its port. */
export class FakeServer {
  readonly asked: URL[] = [];
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    this.asked.push(url);
    const answer = this.answers(url, response);
    if (response.writableEnded) return;
    if (answer === undefined) response.writeHead(404).end();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });

  constructor(public answers: FakeAnswers) {}

  async start(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** The names of a cluster's hosts; of nothing where nothing is given. */
export function addressesOf(options: Partial<ConstructorParameters<typeof Addresses>[0]> = {}) {
  const none = { clusterNodes: [], metricsUrl: '', logsUrl: '', adminUrl: '' };
  return new Addresses({ ...none, storeBase: '', authUrl: '', ...options });
}

/** The tile of an overview. */
export interface TileJson {
  readonly id: string;
  readonly value: number | null;
  readonly of?: number;
  readonly state: string;
  readonly reason?: string;
  readonly last_unix_s: number | null;
  readonly notes: readonly { readonly id: string; readonly value: number | null }[];
  readonly spark?: readonly (readonly [number, number | null])[];
}

export interface OverviewJson {
  readonly source: string;
  readonly sources: readonly {
    readonly id: string;
    readonly state: string;
    readonly reason?: string;
  }[];
  readonly tiles: readonly TileJson[];
  readonly alerts: readonly Readonly<Record<string, unknown>>[];
}

export function tileOf({ tiles }: OverviewJson, id: string): TileJson {
  const tile = tiles.find((one) => one.id === id);
  if (tile === undefined) throw new Error(`there is no tile ${id}`);
  return tile;
}

export interface ChartJson {
  readonly step_s: number;
  readonly source: string;
  readonly series: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly points: readonly (readonly [number, number | null])[];
  }[];
  readonly missing: readonly string[];
}
