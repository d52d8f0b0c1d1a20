import type { Addresses } from '../addresses.js';
import { SourceError } from '../sources/source.js';
import type { LogEntry, LogQuery, LogStore } from './log-store.js';
import { logQuery, type LogWish } from './logql.js';
import { redactLine } from './redact.js';
import { volumeOf, type VolumeView } from './volume.js';
import { visibleLines, type FoundLines } from './visible-lines.js';

/** A wish whose nodes have the page's names, and whose text is that of lines as they are shown. */
export interface LogSearch extends LogWish {
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

/** The results of a search, as the page has them. */
export interface LogsView {
  readonly source: LogStore['source'];
  readonly state: 'ok' | 'unknown';
  readonly reason?: string;
  readonly truncated: boolean;
  /** Null when no line of the range is lost; else from when on none is. */
  readonly complete_from_unix_s: number | null;
  /** Later lines are not among them yet; null where the log could not be read. */
  readonly seen_to_unix_s: number | null;
  readonly services: readonly string[];
  readonly nodes: readonly string[];
  readonly lines: readonly LogLineView[];
}

/** The services and nodes to choose from. */
interface Choices {
  readonly services: readonly string[];
  /** Names on the page, and what the store calls them. */
  readonly nodes: ReadonlyMap<string, string>;
}

const NO_CHOICES: Choices = { services: [], nodes: new Map() };
const CHOICES_MS = 60_000;
const TRANSACTION = /\btx[0-9a-f]{21}-[0-9a-f]{10}/;

/** The answer where the log cannot be read. */
export function unreadable(
  source: LogsView['source'],
  reason: string,
  { services, nodes } = NO_CHOICES,
): LogsView {
  const choices = { services, nodes: [...nodes.keys()] };
  const times = { complete_from_unix_s: null, seen_to_unix_s: null };
  return { source, state: 'unknown', reason, ...choices, lines: [], truncated: false, ...times };
}

/** Lines of logs for the page: found by what it wishes, without credentials. */
export class Logs {
  #choices = NO_CHOICES;
  #choicesMs = -Infinity;

  constructor(
    private readonly store: LogStore,
    private readonly addresses: Addresses,
    private readonly now: () => number,
  ) {}

  async search(search: LogSearch): Promise<LogsView> {
    const { source } = this.store;
    try {
      const choices = await this.#choose();
      const found = await this.#find(search, choices);
      const { completeFromS } = found;
      const isComplete = completeFromS === null || completeFromS <= search.fromS;
      return {
        source,
        state: 'ok',
        truncated: found.hasMore,
        complete_from_unix_s: isComplete ? null : completeFromS,
        seen_to_unix_s: found.seenToS,
        services: choices.services,
        nodes: [...choices.nodes.keys()],
        lines: found.lines,
      };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return unreadable(source, `Logs are unavailable: ${error.reason}.`, this.#choices);
    }
  }

  async #find(search: LogSearch, choices: Choices): Promise<FoundLines<LogLineView>> {
    const { contains = '', services, level, hideOwn, fromS, toS, limit } = search;
    const nodes = this.#storeNames(search, choices);
    if (nodes.length === 0 && search.nodes.length > 0)
      return { lines: [], hasMore: false, completeFromS: null, seenToS: toS };
    const query = (part: string | undefined) =>
      logQuery({ services, nodes, level, hideOwn, contains: part }, this.store.names);
    const range = (asked: LogQuery) => this.store.range(asked);
    const show = (entry: LogEntry) => this.#view(entry);
    return visibleLines(range, show, { query, contains, fromS, toS, limit });
  }

  /** How many lines of the range there are, whatever their text. */
  async volume(search: Omit<LogSearch, 'contains' | 'limit'>): Promise<VolumeView> {
    const nodes = this.#storeNames(search, this.#choices);
    if (nodes.length > 0 || search.nodes.length === 0) {
      return volumeOf(this.store, { ...search, nodes }, search);
    }
    const { fromS, toS } = search;
    const range = { step_s: toS - fromS, from_unix_s: fromS, to_unix_s: toS };
    return { state: 'ok', ...range, complete_from_unix_s: null, series: [] };
  }

  #storeNames({ nodes }: Pick<LogSearch, 'nodes'>, choices: Choices): readonly string[] {
    return nodes.flatMap((node) => this.#storeNameOf(node, choices));
  }

  /** A name that the page does not show is none to look for: it may be an address. */
  #storeNameOf(node: string, choices: Choices): readonly string[] {
    const known = choices.nodes.get(node);
    if (known !== undefined) return [known];
    return this.addresses.nodeOf(node) === node ? [node] : [];
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
