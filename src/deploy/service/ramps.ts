import { setTimeout as delay } from 'node:timers/promises';
import { SerialQueues } from '../../lib/promises.js';
import { readJson, writeDurably } from '../../lib/durable-file.js';
import { RAMPS_KEPT } from '../state/prune.js';
import { DeployError } from './errors.js';
import { Followers } from './followers.js';
import type { StoredPlan } from './planner-protocol.js';
import {
  goesOn,
  isIdle,
  keyOf,
  newRamp,
  type Ramp,
  type RampLook,
  type RampRequest,
} from './ramp-record.js';
import type { Run } from './run-record.js';
import type { SpecFile } from './store.js';

/** The parts that a ramp works with. */
export interface RampParts {
  readonly folder: string;
  readonly now: () => number;
  /** Between two looks at the gates. */
  readonly pollMs: number;
  readonly specOf: (etag: string) => Promise<SpecFile | undefined>;
  readonly plan: (spec: SpecFile, allowLarge: boolean) => Promise<StoredPlan>;
  /** Applies a plan, and resolves with the run when it has ended. */
  readonly apply: (plan: StoredPlan, key: string, ramp: Ramp) => Promise<Run>;
  /** A run that an earlier process has begun with the key. */
  readonly runOf: (key: string) => Run | undefined;
  /** The last run of the step that is due, unless another plan was applied since: nodes may have its rings. */
  readonly stepRun: (ramp: Ramp) => Run | undefined;
  /** When what is in force was on all nodes, seconds since 1970; null where nothing is. */
  readonly placedS: () => number | null;
  readonly planOf: (id: string) => Promise<StoredPlan | undefined>;
  readonly appliedEtag: () => string;
  /** The gates, and what is wrong with the cluster. */
  readonly look: (ramp: Ramp, signal: AbortSignal) => Promise<RampLook>;
  readonly onEnd: (ramp: Ramp) => Promise<void>;
}

const RAMP_ID = /^ramp-[0-9a-f]{24}$/;
/** A server may restart; one that is away for so many looks stops the ramp. */
const BAD_LOOKS_MAX = 3;
const HOUR_S = 3600;

/** All ramps, of which one at most is not over. */
export class Ramps {
  readonly #ramps = new Map<string, Ramp>();
  readonly #followers = new Followers<[ramp: Ramp]>('ramp');
  readonly #journals = new SerialQueues();
  #stop = new AbortController();
  #going: Promise<void> = Promise.resolve();
  #isClosing = false;

  private constructor(private readonly parts: RampParts) {}

  /** Reads the journals, and goes on with the ramp that was under way. */
  static async open(parts: RampParts, files: readonly string[]): Promise<Ramps> {
    const ramps = new Ramps(parts);
    const found: Ramp[] = [];
    for (const file of files) {
      const ramp = await readJson<Ramp>(file);
      if (ramp !== undefined) found.push(ramp);
    }
    found.sort((a, b) => a.created_unix_s - b.created_unix_s);
    for (const ramp of found.slice(-RAMPS_KEPT)) ramps.#ramps.set(ramp.id, ramp);
    const active = ramps.active;
    if (active?.state === 'running') ramps.#start(active);
    return ramps;
  }

  get(id: string): Ramp | undefined {
    return RAMP_ID.test(id) ? this.#ramps.get(id) : undefined;
  }

  /** The ramp that is not over. */
  get active(): Ramp | undefined {
    return [...this.#ramps.values()].find(({ ended_unix_s: ended }) => ended === null);
  }

  latest(count: number): Ramp[] {
    return [...this.#ramps.values()].reverse().slice(0, count);
  }

  /** @throws DeployError `locked`, `idempotency_key_reused` */
  async begin({ spec, allowLarge, key, actor }: RampRequest): Promise<Ramp> {
    const known = [...this.#ramps.values()].find(({ idempotency_key: own }) => own === key);
    if (known !== undefined) {
      if (known.spec_etag === spec.etag && known.allow_large === allowLarge) return known;
      throw new DeployError('idempotency_key_reused', 'The key belongs to another request.');
    }
    const { active } = this;
    if (active !== undefined) {
      throw new DeployError('locked', 'Another ramp is in progress.', { ramp_id: active.id });
    }
    const ramp = newRamp({ spec, allowLarge, key, actor }, this.#nowS());
    this.#ramps.set(ramp.id, ramp);
    try {
      await this.#save(ramp);
    } catch (error) {
      this.#ramps.delete(ramp.id);
      throw error;
    }
    this.#start(ramp);
    return ramp;
  }

  /** Begins no further step; the one that is under way ends. @throws DeployError `not_running` */
  async pause(ramp: Ramp): Promise<void> {
    if (ramp.state !== 'running') throw notIn(ramp);
    await this.#change(ramp, 'paused', 'Paused.');
  }

  /** @throws DeployError `not_running` */
  async resume(ramp: Ramp): Promise<void> {
    if (!isIdle(ramp)) throw notIn(ramp);
    await this.#going;
    // Another request may have cancelled or resumed it while its step ended.
    if (!isIdle(ramp)) throw notIn(ramp);
    // Changes made meanwhile were the operator's wish.
    ramp.applied_etag = null;
    ramp.resumed += 1;
    await this.#change(ramp, 'running', '');
    this.#start(ramp);
  }

  /** @throws DeployError `not_running` */
  async cancel(ramp: Ramp): Promise<void> {
    if (ramp.ended_unix_s !== null) throw notIn(ramp);
    await this.#change(ramp, 'cancelled', 'Cancelled.');
  }

  /** @returns what ends the subscription @throws DeployError `busy` */
  listen(ramp: Ramp, listener: (ramp: Ramp) => void): () => void {
    return this.#followers.add(ramp.id, listener);
  }

  /** Lets the step that is under way end; the next process goes on. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stop.abort();
    await this.#going;
  }

  #start(ramp: Ramp): void {
    this.#prepare(ramp);
    // One that still goes ends first: two would take the same step.
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#going = this.#going
      .then(() => this.#go(ramp, signal))
      .catch((error: unknown) =>
        this.#change(ramp, 'stopped', `The step could not be made: ${(error as Error).message}`),
      )
      // Without a journal the ramp ends, and not the process.
      .catch(() => undefined);
  }

  /** A ramp begins, or goes on, with a look at the cluster: the gates were open long ago, if ever. */
  #prepare(ramp: Ramp): void {
    const placedS = this.parts.placedS();
    if (placedS === null) return;
    if (ramp.phase === 'step') {
      const run = this.parts.stepRun(ramp);
      if (run !== undefined) {
        // The work that a run has begun is completed first: the gates would stay closed.
        if (run.state !== 'succeeded' || run.idempotency_key === keyOf(ramp)) return;
        // A retry has completed it.
        ramp.runs.push(run.id);
      }
      ramp.phase = 'wait';
    }
    // The gates are of what is in force now, and of nothing that is applied while they are closed.
    ramp.placed_unix_s = Math.max(ramp.placed_unix_s, placedS);
    ramp.applied_etag ??= this.parts.appliedEtag();
  }

  async #go(ramp: Ramp, signal: AbortSignal): Promise<void> {
    let badLooks = 0;
    while (goesOn(ramp, signal)) {
      if (ramp.phase === 'step') {
        await this.#step(ramp, signal);
        continue;
      }
      const { gates, problems } = await this.parts.look(ramp, signal);
      if (!goesOn(ramp, signal)) return;
      ramp.gates = gates;
      badLooks = problems.length === 0 ? 0 : badLooks + 1;
      if (badLooks >= BAD_LOOKS_MAX) {
        const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
        await this.#change(ramp, 'stopped', `The cluster is not well: ${problems[0] ?? ''}${more}`);
        return;
      }
      if (problems.length === 0 && gates.every(({ ok }) => ok)) {
        if (ramp.complete) await this.#change(ramp, 'succeeded', '');
        else ramp.phase = 'step';
        await this.#save(ramp);
        continue;
      }
      this.#tell(ramp);
      await delay(this.parts.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Makes and applies one plan, or takes note of the one that an earlier process has applied. */
  async #step(ramp: Ramp, signal: AbortSignal): Promise<void> {
    const { parts } = this;
    const key = keyOf(ramp);
    const former = parts.runOf(key);
    const isOther = ramp.applied_etag !== null && parts.appliedEtag() !== ramp.applied_etag;
    if (former === undefined && isOther) {
      await this.#change(ramp, 'stopped', 'Another plan was applied meanwhile.');
      return;
    }
    let plan = former === undefined ? undefined : await parts.planOf(former.plan_id);
    if (plan === undefined) {
      const spec = await parts.specOf(ramp.spec_etag);
      if (spec === undefined) throw new Error('its specification is gone');
      plan = await parts.plan(spec, ramp.allow_large);
    }
    // It was paused or cancelled while the plan was made, or the service ends: a run would hold it up.
    if (!goesOn(ramp, signal)) return;
    if (plan.ring_changes.length > 0 || !plan.empty || plan.unsettled.length > 0) {
      this.#estimate(ramp, plan);
      const run = former ?? (await parts.apply(plan, key, ramp));
      if (run.state === 'cancelled' && this.#isClosing) {
        // The service ended between two nodes: the next process makes another plan.
        ramp.resumed += 1;
        await this.#save(ramp);
        return;
      }
      if (run.state !== 'succeeded') {
        await this.#change(ramp, 'stopped', `${run.id} is ${run.state}: ${run.message}`);
        return;
      }
      ramp.runs.push(run.id);
      ramp.placed_unix_s = run.ended_unix_s ?? this.#nowS();
      // Partitions move when the rings are on the nodes, and not when the plan is made.
      const tookS = Math.max(0, ramp.placed_unix_s - plan.created_unix_s);
      ramp.movable_unix_s = Math.max(
        0,
        ...plan.blast_radius.map(({ movable_again_unix_s: at }) => at + tookS),
      );
    } else if (!plan.complete) {
      // Partitions moved before the ramp, less than min_part_hours ago: plans count whole hours.
      ramp.movable_unix_s = (Math.floor(this.#nowS() / HOUR_S) + 1) * HOUR_S;
    }
    ramp.complete = plan.complete;
    ramp.applied_etag = parts.appliedEtag();
    this.#estimate(ramp, plan);
    ramp.phase = 'wait';
    // Those that were open for this step say nothing of the next one.
    ramp.gates = [];
    await this.#save(ramp);
    this.#tell(ramp);
  }

  /** By the time that the steps until now took, and no less than `min_part_hours`. */
  #estimate(ramp: Ramp, plan: StoredPlan): void {
    const left = Math.max(
      0,
      ...plan.ring_changes.map((ring) => ring.next_steps_parts_moved.length),
    );
    ramp.steps_left = plan.complete ? 0 : Math.max(1, left);
    const waitS = Math.max(0, ramp.movable_unix_s - ramp.placed_unix_s);
    const soFarS = this.#nowS() - ramp.created_unix_s;
    const eachS = Math.max(waitS, ramp.runs.length > 1 ? soFarS / (ramp.runs.length - 1) : 0);
    ramp.remaining_s = Math.ceil(eachS * (ramp.steps_left + 1));
  }

  async #change(ramp: Ramp, state: Ramp['state'], message: string): Promise<void> {
    // The step that was under way when it was cancelled may fail: that does not bring it back.
    if (ramp.ended_unix_s !== null) return;
    ramp.state = state;
    ramp.message = message;
    if (state === 'succeeded' || state === 'cancelled') {
      ramp.ended_unix_s = this.#nowS();
      ramp.steps_left = state === 'succeeded' ? 0 : ramp.steps_left;
      ramp.remaining_s = state === 'succeeded' ? 0 : null;
    }
    if (state !== 'running') this.#stop.abort();
    await this.#save(ramp);
    this.#tell(ramp);
    if (state !== 'running') await this.parts.onEnd(ramp);
  }

  #tell(ramp: Ramp): void {
    this.#followers.tell(ramp.id, ramp);
  }

  #save(ramp: Ramp): Promise<void> {
    const file = `${this.parts.folder}/${ramp.id}.json`;
    return this.#journals.run(ramp.id, () => writeDurably(file, JSON.stringify(ramp)));
  }

  #nowS(): number {
    return Math.floor(this.parts.now() / 1000);
  }
}

function notIn({ state }: Ramp): DeployError {
  return new DeployError('not_running', `The ramp is ${state}.`);
}
