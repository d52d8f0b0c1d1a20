import { parseLogQuery } from '../../../supervisor/log-query.js';
import { FakeServer } from './support.js';

interface Entry {
  readonly ns: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: string;
}

const LIMIT_DEFAULT = 100;

/**
 * A log store that answers as Grafana's reference of Loki's HTTP API says: times are nanoseconds, as
 * text; lines stand in the streams of their labels, each sorted by `direction`; `start` is included
 * and `end` is not; `limit` counts the lines of all streams, of which the newest are kept, or with
 * `direction=forward` the oldest. The same line of the same time and stream is there once.
 */
export class FakeLoki {
  readonly server = new FakeServer((url) => this.#answer(url));
  readonly #entries: Entry[] = [];

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  /** @param ns by default the time it is, of each line another one */
  write(labels: Entry['labels'], line: string, ns = this.#now()): void {
    const stream = JSON.stringify(labels);
    const isThere = this.#entries.some(
      (one) => one.ns === ns && one.line === line && JSON.stringify(one.labels) === stream,
    );
    if (!isThere) this.#entries.push({ ns, labels, line });
  }

  #now(): bigint {
    return BigInt(Date.now()) * 1_000_000n + BigInt(this.#entries.length);
  }

  #answer({ pathname, searchParams: query }: URL): unknown {
    const label = /^\/loki\/api\/v1\/label\/(\w+)\/values$/.exec(pathname)?.[1];
    if (label !== undefined) {
      const values = this.#entries.flatMap(({ labels }) => labels[label] ?? []);
      return { status: 'success', data: [...new Set(values)].sort() };
    }
    if (pathname !== '/loki/api/v1/query_range') return undefined;
    if (query.has('step')) {
      return { status: 'success', data: { resultType: 'matrix', result: [] } };
    }
    const found = this.#find(query);
    const streams = new Map<string, [string, string][]>();
    for (const { ns, labels, line } of found) {
      const key = JSON.stringify(labels);
      streams.set(key, [...(streams.get(key) ?? []), [String(ns), line]]);
    }
    // In no order that has to do with time.
    const result = [...streams]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([stream, values]) => ({ stream: JSON.parse(stream) as object, values }));
    return { status: 'success', data: { resultType: 'streams', result, stats: {} } };
  }

  #find(query: URLSearchParams): Entry[] {
    const isWanted = parseLogQuery(query.get('query') ?? '');
    const [start, end] = [BigInt(query.get('start') ?? 0), BigInt(query.get('end') ?? 0)];
    const forward = query.get('direction') === 'forward';
    return this.#entries
      .filter(({ ns, labels, line }) => {
        const entry = { unixMs: 0, labels, line } as unknown as Parameters<typeof isWanted>[0];
        return ns >= start && ns < end && isWanted(entry);
      })
      .sort((a, b) => (forward === a.ns < b.ns ? -1 : 1))
      .slice(0, Number(query.get('limit') ?? LIMIT_DEFAULT));
  }
}
