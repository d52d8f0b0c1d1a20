import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '../../../../src/lib/promises.js';
import type { ExpiryObserver, OpenExpired } from './observer.js';
import {
  advance,
  isPartlyReaped,
  stateOf,
  summaryOf,
  type ExpiredState,
  type GhostSummary,
  type ReplicaSight,
  type Sight,
  type StateSpan,
} from './states.js';

export type ExpiredParams = Readonly<{
  container: string;
  count: number;
  /** Seconds until the first one expires, and between two. */
  first_s: number;
  step_s: number;
  bytes: number;
  /** For how long after the last expiry objects are watched at most. */
  watch_s: number;
  /** Seconds after an expiry by which an expirer that runs has reaped. */
  expirer_s: number;
}>;

export interface ExpiredObject {
  readonly name: string;
  readonly delete_at_unix_s: number;
  readonly state: ExpiredState;
  readonly spans: readonly StateSpan[];
  readonly replicas: readonly ReplicaSight[];
  /** Whether the listing of the container still has it. */
  readonly is_listed: boolean;
  readonly is_rescued: boolean;
  /** Seconds from its expiry until it was seen reaped; null where it was not. */
  readonly ghost_s: number | null;
}

export interface Finding {
  readonly id:
    | 'open_expired_unsupported'
    | 'open_expired_disabled'
    | 'not_forwarded'
    | 'expirer_not_running'
    | 'partial_reap'
    | 'still_listed'
    | 'nodes_unknown'
    | 'looks_failed';
  readonly text: string;
}

export interface ExpiredView {
  readonly at_unix_s: number;
  readonly container: string;
  readonly open_expired: OpenExpired;
  readonly objects: readonly ExpiredObject[];
  readonly summary: GhostSummary;
  readonly findings: readonly Finding[];
}

/** How often an object is looked at, near its expiry and otherwise. */
const NEAR_S = 1;
const FAR_S = 5;
const NEAR_EXPIRY_S = 10;
const AT_ONCE = 4;
/** How often a request of the beginning is sent, and how long is waited between two. */
const TRIES = 3;
const TRY_AGAIN_MS = 1000;

interface Watched {
  view: ExpiredObject;
  nextS: number;
  /** The last look has failed. */
  isUnseen: boolean;
}

/** Objects that expire one after the other, and what became of them. */
export class Observation {
  readonly #objects: Watched[] = [];
  readonly #findings = new Map<Finding['id'], string>();
  #opens: OpenExpired = { support: 'unsupported', version: null };
  #isFinished = false;

  constructor(
    private readonly params: ExpiredParams,
    private readonly observer: ExpiryObserver,
    private readonly now: () => number,
  ) {}

  /** Writes the objects. @throws what the observer throws */
  async begin(): Promise<void> {
    const { container, count, first_s: first, step_s: step, bytes } = this.params;
    this.#opens = await persist(() => this.observer.openExpired());
    await persist(() => this.observer.create(container));
    const nowS = this.#nowS();
    const startS = Math.ceil(nowS) + first;
    for (let index = 0; index < count; index++) {
      const name = String(index).padStart(2, '0');
      const deleteAtS = startS + index * step;
      await persist(() => this.observer.put(container, name, bytes, deleteAtS));
      const view = newObject(name, deleteAtS, this.#nowS());
      this.#objects.push({ nextS: nowS, view, isUnseen: false });
    }
    this.#judgeProxy();
  }

  /** Ends it at the next look, with what was seen until then. */
  finish(): void {
    this.#isFinished = true;
  }

  /** Looks at what is due. @returns whether there is nothing more to see */
  async look(): Promise<boolean> {
    const nowS = this.#nowS();
    const due = this.#objects.filter(({ nextS, view }) => nextS <= nowS && isOpen(view));
    if (due.length > 0) {
      const listed = await this.observer.listed(this.params.container).catch(() => undefined);
      await mapLimited(due, AT_ONCE, (one) => this.#lookAt(one, listed));
      this.#judge();
    }
    const last = Math.max(...this.#objects.map(({ view }) => view.delete_at_unix_s));
    const isOver = this.#nowS() > last + this.params.watch_s;
    return this.#isFinished || isOver || this.#objects.every(({ view }) => !isOpen(view));
  }

  get view(): ExpiredView {
    const objects = this.#objects.map(({ view }) => view);
    return {
      at_unix_s: this.#nowS(),
      container: this.params.container,
      open_expired: this.#opens,
      objects,
      summary: summaryOf(
        objects.filter(({ is_rescued: isRescued }) => !isRescued).map(({ ghost_s: s }) => s),
      ),
      findings: [...this.#findings].map(([id, text]) => ({ id, text })),
    };
  }

  /** @returns whether it is readable again; undefined for an object that is none of these */
  async rescue(name: string): Promise<boolean | undefined> {
    const found = this.#objects.find(({ view }) => view.name === name);
    if (found === undefined) return undefined;
    const isReadable = await this.observer.rescue(this.params.container, name);
    if (isReadable) found.view = { ...found.view, is_rescued: true };
    return isReadable;
  }

  get canRescue(): boolean {
    return this.#opens.support === 'enabled';
  }

  async #lookAt(watched: Watched, listed: ReadonlySet<string> | undefined): Promise<void> {
    const { delete_at_unix_s: deleteAtS, name } = watched.view;
    const opens = this.#opens.support === 'enabled';
    const sight = await this.#sightOf(name, opens);
    watched.isUnseen = sight === undefined;
    if (sight === undefined) {
      watched.nextS = this.#nowS() + NEAR_S;
      return;
    }
    // As it is by now: it may have been rescued meanwhile.
    const { view } = watched;
    const spans = advance(view.spans, stateOf(deleteAtS, sight), sight.atS);
    const last = spans.at(-1) ?? { state: 'Alive' as const, from_unix_s: sight.atS };
    const isReaped = last.state === 'Physically Reaped';
    watched.view = {
      ...view,
      state: last.state,
      spans,
      replicas: sight.replicas,
      is_listed: listed?.has(name) ?? view.is_listed,
      ghost_s: isReaped ? Math.max(0, last.from_unix_s - deleteAtS) : null,
    };
    const isNear = Math.abs(this.#nowS() - deleteAtS) <= NEAR_EXPIRY_S;
    watched.nextS = this.#nowS() + (isNear ? NEAR_S : FAR_S);
    const isSeen = sight.replicas.some(({ state }) => state === 'present');
    if (opens && sight.openStatus === 404 && sight.status === 404 && isSeen) {
      this.#say(
        'not_forwarded',
        'Storage nodes still have an expired object, but the proxy does not return it with X-Open-Expired.',
      );
    }
  }

  /** @returns undefined where it could not be looked at for now, such as while rings are replaced */
  async #sightOf(name: string, opens: boolean): Promise<Sight | undefined> {
    try {
      return await this.observer.look(this.params.container, name, opens);
    } catch {
      return undefined;
    }
  }

  #judgeProxy(): void {
    const { support, version } = this.#opens;
    if (support === 'unsupported') {
      const needed = 'X-Open-Expired requires Swift 2.34 or later.';
      const text = version === null ? needed : `${needed} This cluster runs Swift ${version}.`;
      this.#say('open_expired_unsupported', text);
    } else if (support === 'disabled') {
      this.#say(
        'open_expired_disabled',
        'allow_open_expired is disabled in the proxy, so expired objects cannot be read or rescued.',
      );
    }
  }

  #judge(): void {
    const objects = this.#objects.map(({ view }) => view);
    const nowS = this.#nowS();
    const lateS = this.params.expirer_s;
    const late = objects.filter(
      (one) => !one.is_rescued && nowS > one.delete_at_unix_s + lateS && one.ghost_s === null,
    );
    const isReaping = objects.some((one) => one.ghost_s !== null);
    this.#set(
      'expirer_not_running',
      late.length > 0 && !isReaping,
      `${late.length} objects expired more than ${lateS} s ago, but none has been reaped. Check that the object-expirer is running.`,
    );
    const partly = objects.filter(({ replicas }) => isPartlyReaped(replicas)).length;
    this.#set(
      'partial_reap',
      partly > 0,
      `${partly} objects have been removed from some devices but not all.`,
    );
    const listed = objects.filter((one) => one.is_listed && one.ghost_s !== null).length;
    this.#set(
      'still_listed',
      listed > 0,
      `${listed} objects have been reaped but are still in the container listing.`,
    );
    const unseen = this.#objects.filter(({ isUnseen }) => isUnseen).length;
    this.#set(
      'looks_failed',
      unseen > 0,
      `${unseen} objects could not be checked in the last sample because the rings or the store could not be read.`,
    );
    this.#set(
      'nodes_unknown',
      this.#opens.support !== 'enabled' && !this.observer.asksNodes,
      'Storage nodes are not queried because store_dir is not set, so what happens after expiry cannot be observed.',
    );
  }

  #set(id: Finding['id'], holds: boolean, text: string): void {
    if (holds) this.#say(id, text);
    else this.#findings.delete(id);
  }

  #say(id: Finding['id'], text: string): void {
    this.#findings.set(id, text);
  }

  #nowS(): number {
    return this.now() / 1000;
  }
}

/** Tries again: a failure for a moment ends no run. */
async function persist<T>(task: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < TRIES; tries++) {
    try {
      return await task();
    } catch {
      await delay(TRY_AGAIN_MS);
    }
  }
  return task();
}

function newObject(name: string, deleteAtS: number, nowS: number): ExpiredObject {
  return {
    name,
    delete_at_unix_s: deleteAtS,
    state: 'Alive',
    spans: [{ state: 'Alive', from_unix_s: nowS, to_unix_s: null }],
    replicas: [],
    is_listed: true,
    is_rescued: false,
    ghost_s: null,
  };
}

function isOpen({ ghost_s: ghost, is_rescued: isRescued }: ExpiredObject): boolean {
  return ghost === null && !isRescued;
}
