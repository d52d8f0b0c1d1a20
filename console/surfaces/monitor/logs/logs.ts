import type { Addresses } from '../addresses.js';
import { SourceError } from '../sources/source.js';
import type { LogEntry, LogStore } from './log-store.js';
import { LINES_MAX } from './log-store.js';
import { logQuery, type LogLevel } from './logql.js';
import { redactLine } from './redact.js';

export interface LogSearch {
  readonly services: readonly string[];
  /** As the page calls them. */
  readonly nodes: readonly string[];
  readonly level?: LogLevel | undefined;
  readonly contains?: string | undefined;
  readonly fromS: number;
  readonly toS: number;
  readonly limit: number;
}

/** A line of a log as the page has it. */
export interface LogLineView {
  readonly unix_s: number;
  readonly service: string | null;
  readonly node: string | null;
  readonly level: string | null;
  readonly worker: string | null;
  readonly trans_id: string | null;
  readonly line: string;
}

/** What there is to choose from. */
interface Choices {
  readonly services: readonly string[];
  /** Names on the page, and what the store calls them. */
  readonly nodes: ReadonlyMap<string, string>;
}

const NO_CHOICES: Choices = { services: [], nodes: new Map() };
const CHOICES_MS = 60_000;
const TRANSACTION = /\btx[0-9a-f]{21}-[0-9a-f]{10}/;

/** Lines of logs for the page: found by what it wishes, without credentials. */
export class Logs {
  #choices = NO_CHOICES;
  #choicesMs = -Infinity;

  constructor(
    private readonly store: LogStore,
    private readonly addresses: Addresses,
    private readonly now: () => number,
  ) {}

  async search(search: LogSearch) {
    const { source } = this.store;
    try {
      const choices = await this.#choose();
      const found = await this.#lines(search, choices);
      return {
        source,
        state: 'ok',
        truncated: found.length > search.limit || found.length === LINES_MAX,
        services: choices.services,
        nodes: [...choices.nodes.keys()],
        lines: found.slice(0, search.limit).map((entry) => this.#view(entry)),
      };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const reason = `The logs are unknown: ${error.reason}.`;
      return {
        source,
        state: 'unknown',
        reason,
        truncated: false,
        services: this.#choices.services,
        nodes: [...this.#choices.nodes.keys()],
        lines: [],
      };
    }
  }

  #lines(search: LogSearch, choices: Choices): Promise<LogEntry[]> {
    const nodes = search.nodes.map((node) => choices.nodes.get(node) ?? node);
    const query = logQuery({ ...search, nodes }, this.store.names);
    // One more than is shown says whether there are more.
    const limit = Math.min(search.limit + 1, LINES_MAX);
    return this.store.range({ query, fromS: search.fromS, toS: search.toS, limit });
  }

  async #choose(): Promise<Choices> {
    if (this.now() - this.#choicesMs < CHOICES_MS) return this.#choices;
    const { service, node } = this.store.names;
    const services = await this.store.valuesOf(service);
    const nodes = await this.store.valuesOf(node);
    this.#choices = {
      services: services.sort(),
      nodes: new Map(nodes.sort().map((name) => [this.addresses.nodeOf(name), name])),
    };
    this.#choicesMs = this.now();
    return this.#choices;
  }

  #view({ unixS, labels, line }: LogEntry): LogLineView {
    const { service, node, level, worker } = this.store.names;
    const nodeName = labels[node];
    return {
      unix_s: unixS,
      service: labels[service] ?? null,
      node: nodeName === undefined ? null : this.addresses.nodeOf(nodeName),
      level: labels[level] ?? null,
      worker: labels[worker] ?? null,
      trans_id: TRANSACTION.exec(line)?.[0] ?? null,
      line: this.addresses.maskBackends(redactLine(line)),
    };
  }
}
