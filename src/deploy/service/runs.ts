import { SerialQueues } from '../../lib/promises.js';
import { reloadCommands, type Driver } from '../drivers/driver.js';
import type { Blobs } from '../state/blobs.js';
import { readJson, writeDurably } from '../../lib/durable-file.js';
import { RUNS_KEPT } from '../state/prune.js';
import { DeployError } from './errors.js';
import { Followers } from './followers.js';
import { Installer } from './installer.js';
import type { StoredNext, StoredPlan } from './planner-protocol.js';
import { takeSteps, zoneOf } from './run-steps.js';
import {
  closeInterrupted,
  giveUp,
  giveUpUnlessDone,
  inOrder,
  leftNodes,
  newRunId,
  retrySteps,
  stepsOf,
  type Run,
  type RunRamp,
  type Unsettled,
} from './run-record.js';
import { expectEnded, expectFresh, expectLatest, expectLeft, secretsFor } from './run-checks.js';
import { hashCheck, type Secrets } from './secrets.js';
import type { DeployStore } from './store.js';
import { unsettledNodes } from './unsettled.js';

export interface RunsOptions {
  readonly store: DeployStore;
  readonly blobs: Blobs;
  readonly driver: Driver;
  readonly secretsDir: string;
  /** At most so many nodes of a zone are worked on at a time. */
  readonly parallelNodes: number;
  readonly now: () => number;
  /** Called when a run has ended, or its journal cannot be written. */
  readonly onEnd: (run: Run) => Promise<void>;
}

export interface ApplyRequest {
  readonly plan: StoredPlan;
  readonly ifMatch: string;
  readonly key: string;
  readonly actor: string;
  /** The ramp that it is a step of. */
  readonly ramp?: RunRamp;
}

export interface RetryRequest {
  readonly run: Run;
  /** Null for all nodes that are left. */
  readonly nodes: readonly string[] | null;
  readonly key: string;
  readonly actor: string;
}

/** The fields of a run besides its steps. */
type NewRun = Pick<
  Run,
  'plan_id' | 'plan_sha256' | 'spec_etag' | 'base_etag' | 'actor' | 'idempotency_key'
> &
  Pick<Run, 'ramp' | 'retry_of' | 'retry_nodes'>;

type StepsOf = (
  next: StoredNext['next'],
  unsettled: ReadonlyMap<string, Unsettled>,
) => Run['steps'];

/** The step is null for the run itself. */
type RunListener = (run: Run, step: number | null) => void;

const SECONDS = 1000;
const RETRY_AFTER_S = 5;

/** All runs, of which one at most is under way. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #followers = new Followers<Parameters<RunListener>>('run');
  readonly #journals = new SerialQueues();
  #holder: { readonly id: string; readonly actor: string; readonly sinceS: number } | undefined;
  /** The time in the last run's id: no two runs have the same. */
  #idMs = 0;
  #cancelled = false;
  #isClosing = false;
  /** The run that is prepared: it cannot be found yet. */
  #opening: { readonly key: string; readonly done: Promise<void> } | undefined;
  #ended: Promise<void> = Promise.resolve();

  private constructor(private readonly options: RunsOptions) {}

  /** Reads the journals of the latest, and closes that of a run in whose middle the service ended. */
  static async open(options: RunsOptions): Promise<Runs> {
    const runs = new Runs(options);
    for (const file of await options.store.runFiles()) {
      const run = await readJson<Run>(file);
      if (run?.state === 'running') await runs.#recover(run);
      if (run !== undefined) runs.#keep(run);
    }
    return runs;
  }

  /** Earlier ones are read from their journals. */
  async find(id: string): Promise<Run | undefined> {
    return this.#runs.get(id) ?? (await readJson<Run>(this.options.store.runFile(id)));
  }

  /** The latest alone are kept in memory. */
  #keep(run: Run): void {
    this.#runs.set(run.id, run);
    if (this.#runs.size <= RUNS_KEPT) return;
    const ended = [...this.#runs.values()].filter(({ state }) => state !== 'running');
    const [first] = ended.sort(inOrder);
    if (first !== undefined) this.#runs.delete(first.id);
  }

  /** The latest first. */
  latest(max: number): Run[] {
    return [...this.#runs.values()].sort((a, b) => inOrder(b, a)).slice(0, max);
  }

  /** The run that is under way. */
  get lock(): {
    readonly run_id: string;
    readonly holder: string;
    readonly since_unix_s: number;
  } | null {
    if (this.#holder === undefined) return null;
    const { id, actor, sinceS } = this.#holder;
    return { run_id: id, holder: actor, since_unix_s: sinceS };
  }

  /**
   * Begins to apply a plan. A repetition with the same key has the run that the first began.
   *
   * @throws DeployError `idempotency_key_reused`, `plan_stale`, `locked`, `unprocessable`
   */
  async apply(request: ApplyRequest): Promise<Run> {
    const { plan, key, actor, ramp = null } = request;
    const known = await this.#begunWith(key);
    if (known !== undefined) {
      const isSame = known.plan_id === plan.id && (known.retry_of ?? null) === null;
      if (isSame && known.base_etag === request.ifMatch) return known;
      throw keyReused();
    }
    expectFresh(request, this.options.store.appliedEtag, this.#nowS());
    const { sha256, spec_etag, base_etag } = plan;
    const head = { plan_id: plan.id, plan_sha256: sha256, spec_etag, base_etag, actor };
    return this.#begin({ ...head, idempotency_key: key, ramp }, ({ spec }, unsettled) =>
      spec === null ? [] : stepsOf(plan, spec, reloadCommands, unsettled),
    );
  }

  /**
   * Begins a run that completes one which did not succeed: steps that were done are not taken again,
   * and the plan may have expired since. A repetition has the run that the first began.
   *
   * @throws DeployError `idempotency_key_reused`, `conflict`, `plan_stale`, `locked`, `unprocessable`
   */
  async retry({ run, nodes, key, actor }: RetryRequest): Promise<Run> {
    const known = await this.#begunWith(key);
    if (known !== undefined) {
      const isSame = JSON.stringify(known.retry_nodes ?? null) === JSON.stringify(nodes);
      if (isSame && known.retry_of === run.id) return known;
      throw keyReused();
    }
    expectEnded(run);
    this.#expectFree();
    expectLatest(run, this.latest(1)[0], this.options.store.appliedEtag);
    const left = leftNodes(run);
    expectLeft(nodes ?? [], left);
    const { plan_id, plan_sha256, spec_etag, base_etag, ramp = null } = run;
    const head = { plan_id, plan_sha256, spec_etag, base_etag, ramp, actor };
    return this.#begin(
      { ...head, idempotency_key: key, retry_of: run.id, retry_nodes: nodes },
      () => retrySteps(run, nodes ?? left),
    );
  }

  /** The run of a key, also of a request that came just before. */
  async #begunWith(key: string): Promise<Run | undefined> {
    if (this.#opening?.key === key) await this.#opening.done;
    return this.byKey(key);
  }

  #begin(head: NewRun, steps: StepsOf): Promise<Run> {
    this.#expectFree();
    const run = this.#open(head, steps);
    const done = run.then(ignore, ignore);
    const opening = { key: head.idempotency_key, done };
    this.#opening = opening;
    return run.finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
  }

  async #open(head: NewRun, steps: StepsOf): Promise<Run> {
    const sinceS = this.#nowS();
    this.#idMs = Math.max(Math.floor(this.options.now()), this.#idMs + 1);
    const id = newRunId(this.#idMs);
    this.#holder = { id, actor: head.actor, sinceS };
    // From here on it can be cancelled: its number is told. One that begins while the service ends
    // takes no step.
    this.#cancelled = this.#isClosing;
    try {
      const next = await this.options.store.nextOf(head.plan_id);
      const secrets = await secretsFor(next, this.options);
      const unsettled = await unsettledNodes(this.latest(Infinity), next, this.options.store);
      const run: Run = {
        id,
        retry_of: null,
        retry_nodes: null,
        ...head,
        next_etag: next.next_etag,
        created_unix_s: sinceS,
        ended_unix_s: null,
        state: 'running',
        message: '',
        steps: steps(next.next, unsettled),
      };
      await this.#save(run);
      this.#keep(run);
      this.#ended = this.#carryOut(run, next, secrets, unsettled);
      return run;
    } catch (error) {
      this.#holder = undefined;
      throw error;
    }
  }

  /**
   * Does what no run may be under way for.
   *
   * @throws DeployError `locked`, and what the task throws
   */
  async hold<T>(actor: string, task: () => Promise<T>): Promise<T> {
    this.#expectFree();
    this.#holder = { id: '', actor, sinceS: this.#nowS() };
    try {
      return await task();
    } finally {
      this.#holder = undefined;
    }
  }

  /** The run that was begun with this key. */
  byKey(key: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.idempotency_key === key);
  }

  /** Resolves when the run has ended. */
  async ended(run: Run): Promise<Run> {
    if (this.#holder?.id === run.id) await this.#ended;
    return run;
  }

  /** Ends a run after the step that is under way. @throws DeployError `not_running` */
  cancel(run: Run): void {
    if (this.#holder?.id !== run.id) {
      throw new DeployError('not_running', `The run has ended: ${run.state}.`);
    }
    this.#cancelled = true;
  }

  /** @returns what ends the subscription @throws DeployError `busy` */
  listen(run: Run, listener: RunListener): () => void {
    return this.#followers.add(run.id, listener);
  }

  /** Lets the step that is under way end, and begins no other. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelled = true;
    await this.#opening?.done;
    await this.#ended;
  }

  #expectFree(): void {
    if (this.#holder === undefined) return;
    throw new DeployError('locked', 'Another run is in progress.', { ...this.lock }, RETRY_AFTER_S);
  }

  /** Never throws: what goes wrong is in the run. */
  async #carryOut(
    run: Run,
    next: StoredNext,
    secrets: Secrets,
    unsettled: ReadonlyMap<string, Unsettled>,
  ): Promise<void> {
    const { store, blobs, driver } = this.options;
    const tools = { driver, blobs, secrets, unsettled, former: store.applied };
    const installer = new Installer({ ...tools, next: next.next, isRepair: next.repair === true });
    try {
      await takeSteps({
        run,
        installer,
        parallel: this.options.parallelNodes,
        zoneOf: (node) => zoneOf(next.next, node),
        isCancelled: () => this.#cancelled,
        nowS: () => this.#nowS(),
        onStep: async (number) => {
          await this.#save(run);
          this.#followers.tell(run.id, run, number);
        },
      });
      if (!giveUpUnlessDone(run)) {
        const installed = await installer.complete();
        const check = store.applied.hash_check ?? hashCheck(secrets, next.next);
        await store.setApplied({ applied: next.next, installed, hash_check: check });
        run.state = 'succeeded';
      }
    } catch (error) {
      giveUp(run, 'partial', `The state could not be written: ${(error as Error).message}`);
    }
    run.ended_unix_s = this.#nowS();
    await this.#save(run).catch(() => undefined);
    this.#holder = undefined;
    this.#followers.tell(run.id, run, null);
    await this.options.onEnd(run);
  }

  async #recover(run: Run): Promise<void> {
    const { appliedEtag } = this.options.store;
    closeInterrupted(run, run.next_etag === appliedEtag && run.base_etag !== run.next_etag);
    run.ended_unix_s = this.#nowS();
    await this.#save(run);
  }

  /** One write after the other: of nodes that are worked on at a time, the last state stays. */
  #save(run: Run): Promise<void> {
    return this.#journals.run(run.id, () =>
      writeDurably(this.options.store.runFile(run.id), JSON.stringify(run)),
    );
  }

  #nowS(): number {
    return Math.floor(this.options.now() / SECONDS);
  }
}

function ignore(): void {
  // The client that asked for the run is told why it could not begin.
}

function keyReused(): DeployError {
  return new DeployError('idempotency_key_reused', 'The key belongs to another request.');
}
