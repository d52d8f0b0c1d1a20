import { within } from '../../../lib/promises.js';
import type { Device } from '../../../ring/device.js';
import type { Ring } from '../../../ring/ring.js';
import type { Answer } from '../net/answer.js';
import { AttemptError } from '../net/retry-policy.js';
import type { Affinity } from './affinity.js';
import { isUnreadable, type NodeCall, type StorageNodes } from './storage-nodes.js';
import type { ProxyReason } from './way.js';

/** A server's answer that is taken. */
export interface Source {
  readonly device: Device;
  readonly answer: Answer;
}

export interface WalkOptions {
  readonly affinity: Affinity;
  /** After which the next server is asked as well; 0: only when one has answered. */
  readonly hedgeMs: number;
  /** A server that was asked only because another one took long was the first to answer. */
  readonly onHedgeWon?: (() => void) | undefined;
}

type Step =
  | { readonly kind: 'source'; readonly source: Source; readonly isHedge: boolean }
  | { readonly kind: 'missing'; readonly tombstone: string }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unreadable' };

interface Settled {
  readonly step: Step;
  readonly pending: Promise<Step>;
}

/**
 * Asks the servers of a partition for one that has what is asked for, as Swift's proxy does
 * (GETorHEADHandler in swift/proxy/controllers/base.py): primaries by affinity, for each that does
 * not answer a handoff; a 404 with a newer timestamp, a tombstone, is believed rather than older
 * data. It never reports an object as missing: rings may be old, and handoffs were not asked.
 */
export class NodeWalk {
  /** The newest deletion that a server has told of, as an internal timestamp. */
  #tombstone = '';
  #failures = 0;
  /** For so many failures a handoff was looked for: as many as there are primaries at most. */
  #replaced = 0;
  #missing = 0;
  readonly #left: Device[];
  readonly #primaryCount: number;
  readonly #handoffs: Iterator<Device, undefined>;
  /** The requests to servers that have not answered; no server is asked twice. */
  readonly #pending = new Set<Promise<Step>>();

  constructor(
    private readonly nodes: StorageNodes,
    ring: Ring,
    private readonly partition: number,
    private readonly options: WalkOptions,
  ) {
    this.#left = inOrder(ring.primaries(partition), options.affinity);
    this.#primaryCount = this.#left.length;
    this.#handoffs = ring.handoffs(partition);
  }

  /**
   * @param accepts looks at an answer that is a success; false to ask the next server
   * @throws the abort reason of the context
   */
  async find(
    call: Omit<NodeCall, 'partition'>,
    accepts: (answer: Answer) => boolean = () => true,
  ): Promise<Source | ProxyReason> {
    if (!this.#askNext(call, false)) return 'nodes_failed';
    for (;;) {
      const step = await this.#nextStep(call);
      if (step.kind === 'source') {
        if (this.#takes(step.source.answer) && accepts(step.source.answer)) {
          this.#letGo();
          if (step.isHedge) this.options.onHedgeWon?.();
          return step.source;
        }
        step.source.answer.cancel();
      } else if (step.kind === 'missing') {
        this.#missing += 1;
        if (step.tombstone > this.#tombstone) this.#tombstone = step.tombstone;
      } else if (step.kind === 'unreadable') {
        this.#letGo();
        return 'not_understood';
      } else this.#failures += 1;
      if (this.#pending.size === 0 && !this.#askNext(call, false)) {
        return this.#failures > 0 || this.#missing === 0 ? 'nodes_failed' : 'missing';
      }
    }
  }

  #takes({ headers }: Answer): boolean {
    const time = headers.get('x-backend-data-timestamp') ?? headers.get('x-backend-timestamp');
    return time === undefined || time >= this.#tombstone;
  }

  /** The next step of a request under way, or of the next server when that takes long. */
  async #nextStep(call: Omit<NodeCall, 'partition'>): Promise<Step> {
    const { hedgeMs } = this.options;
    for (;;) {
      if (hedgeMs === 0) return this.#taken(await this.#settled());
      const settled = await within(this.#settled(), hedgeMs);
      if (settled !== undefined) return this.#taken(settled);
      if (!this.#askNext(call, true)) return this.#taken(await this.#settled());
    }
  }

  #settled(): Promise<Settled> {
    return Promise.race(
      [...this.#pending].map(async (pending) => ({ step: await pending, pending })),
    );
  }

  #taken({ step, pending }: Settled): Step {
    this.#pending.delete(pending);
    return step;
  }

  /** @returns false when no server is left to ask */
  #askNext(call: Omit<NodeCall, 'partition'>, isHedge: boolean): boolean {
    const device = this.#nextDevice();
    if (device === undefined) return false;
    const asked = this.#ask(device, call, isHedge);
    // One that is let go fails unseen.
    asked.catch(() => undefined);
    this.#pending.add(asked);
    return true;
  }

  #nextDevice(): Device | undefined {
    for (;;) {
      const primary = this.#left.shift();
      if (primary === undefined) break;
      if (this.nodes.admits(primary)) return primary;
      this.#failures += 1;
    }
    // Only what a primary might have has to be looked for elsewhere.
    while (this.#replaced < Math.min(this.#failures, this.#primaryCount)) {
      this.#replaced += 1;
      const handoff = this.#handoffs.next().value;
      if (handoff !== undefined && this.nodes.admits(handoff)) return handoff;
    }
    return undefined;
  }

  async #ask(device: Device, call: Omit<NodeCall, 'partition'>, isHedge: boolean): Promise<Step> {
    const answer = await this.nodes.ask(device, { ...call, partition: this.partition });
    if (answer instanceof AttemptError) {
      if (isUnreadable(answer)) return { kind: 'unreadable' };
      if (answer.stage === 'given_up') throw answer.toThrow();
      return { kind: 'failed' };
    }
    const { status, headers } = answer;
    if ((status >= 200 && status < 300) || status === 416) {
      return { kind: 'source', source: { device, answer }, isHedge };
    }
    answer.cancel();
    if (status !== 404) return { kind: 'failed' };
    return { kind: 'missing', tombstone: headers.get('x-backend-timestamp') ?? '' };
  }

  /** Cancels the requests under way: their answers are not needed. */
  #letGo(): void {
    for (const pending of this.#pending) {
      pending.then(
        (step) => {
          if (step.kind === 'source') step.source.answer.cancel();
        },
        () => undefined,
      );
    }
    this.#pending.clear();
  }
}

/** At random among those of one rank, so that the load is even. */
function inOrder(devices: readonly Device[], affinity: Affinity): Device[] {
  return devices
    .map((device) => ({ device, rank: affinity(device), lot: Math.random() }))
    .sort((a, b) => (a.rank === b.rank ? a.lot - b.lot : a.rank - b.rank))
    .map(({ device }) => device);
}
