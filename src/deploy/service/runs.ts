import { SerialQueues } from '../../lib/promises.js';
import { reloadCommands, type Driver } from '../drivers/driver.js';
import type { SpecProblem } from '../spec/parse.js';
import type { Blobs } from '../state/blobs.js';
import { readJson, writeDurably } from '../state/durable.js';
import { DeployError } from './errors.js';
import { Installer } from './installer.js';
import type { StoredNext, StoredPlan } from './planner-protocol.js';
import { takeSteps, zoneOf } from './run-steps.js';
import {
  closeInterrupted,
  giveUp,
  inOrder,
  newRunId,
  stepsOf,
  type Run,
  type RunRamp,
  type Unsettled,
} from './run-record.js';
import { hashCheck, isSameHash, readSecrets, type Secrets } from './secrets.js';
import type { DeployStore } from './store.js';

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

/** The step is null for the run itself. */
export type RunListener = (run: Run, step: number | null) => void;

const SECONDS = 1000;
const RETRY_AFTER_S = 5;
const LISTENERS_MAX = 64;
/** One of a thousand nodes takes half a megabyte. */
const KEPT_MAX = 128;

/** All runs, of which one at most is under way. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #listeners = new Map<string, Set<RunListener>>();
  readonly #journals = new SerialQueues();
  #holder: { readonly id: string; readonly actor: string; readonly sinceS: number } | undefined;
  /** The time in the last run's id: no two runs have the same. */
  #idMs = 0;
  #cancelled = false;
  #ended: Promise<void> = Promise.resolve();

  private constructor(private readonly options: RunsOptions) {}

  /** Reads the journals, and closes that of a run in whose middle the service ended. */
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
    if (this.#runs.size <= KEPT_MAX) return;
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
    const { plan, key, actor } = request;
    const known = this.byKey(key);
    if (known !== undefined) {
      if (known.plan_id === plan.id && known.base_etag === request.ifMatch) return known;
      throw new DeployError('idempotency_key_reused', 'The key belongs to another request.');
    }
    this.#expectFresh(request);
    this.#expectFree();
    const sinceS = this.#nowS();
    this.#idMs = Math.max(Math.floor(this.options.now()), this.#idMs + 1);
    const id = newRunId(this.#idMs);
    this.#holder = { id, actor, sinceS };
    try {
      const next = await this.options.store.nextOf(plan.id);
      const secrets = await this.#secretsOf(next);
      const unsettled = await this.#unsettled(next);
      const { spec } = next.next;
      const run: Run = {
        id,
        plan_id: plan.id,
        plan_sha256: plan.sha256,
        spec_etag: plan.spec_etag,
        base_etag: plan.base_etag,
        next_etag: next.next_etag,
        actor,
        idempotency_key: key,
        ramp: request.ramp ?? null,
        created_unix_s: sinceS,
        ended_unix_s: null,
        state: 'running',
        message: '',
        steps: spec === null ? [] : stepsOf(plan, spec, reloadCommands, unsettled),
      };
      await this.#save(run);
      this.#keep(run);
      this.#cancelled = false;
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
    const all = this.#listeners.get(run.id) ?? new Set();
    if (all.size >= LISTENERS_MAX) throw new DeployError('busy', 'Too many follow this run.');
    this.#listeners.set(run.id, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#listeners.delete(run.id);
    };
  }

  /** Lets the step that is under way end, and begins no other. */
  async close(): Promise<void> {
    this.#cancelled = true;
    await this.#ended;
  }

  #expectFresh({ plan, ifMatch }: ApplyRequest): void {
    const stale = (message: string) => new DeployError('plan_stale', message, { plan_id: plan.id });
    if (ifMatch !== plan.base_etag) throw stale('If-Match is not the base_etag of the plan.');
    if (plan.base_etag !== this.options.store.appliedEtag) {
      throw stale('Another plan was applied since this one was made.');
    }
    if (this.#nowS() >= plan.expires_unix_s) throw stale('The plan has expired.');
    const failed = plan.checks.filter(({ state }) => state === 'failed');
    if (failed.length > 0) {
      const message = "Swift's own programs refuse files of the plan.";
      throw new DeployError('unprocessable', message, { checks: failed });
    }
  }

  #expectFree(): void {
    if (this.#holder === undefined) return;
    throw new DeployError('locked', 'Another run is under way.', { ...this.lock }, RETRY_AFTER_S);
  }

  async #secretsOf({ next }: StoredNext): Promise<Secrets> {
    const { store, blobs, secretsDir } = this.options;
    const secrets = await readSecrets(secretsDir, next, blobs);
    if (!isMap(secrets)) {
      throw new DeployError('unprocessable', 'Secrets cannot be read.', { errors: secrets });
    }
    if (!isSameHash(store.applied.hash_check, secrets, next)) {
      const message =
        'The prefix or suffix of hashes is not what it was when the cluster was made: nothing would be found.';
      throw new DeployError('unprocessable', message);
    }
    return secrets;
  }

  /**
   * Nodes that have files of runs that did not succeed since the state in force was: what a plan has
   * for them compares with that state, and says nothing where it is the same.
   */
  async #unsettled({ next }: StoredNext): Promise<Map<string, Unsettled>> {
    const { store } = this.options;
    const runs = this.latest(Infinity);
    const sinceS = runs.find(({ state }) => state === 'succeeded')?.created_unix_s ?? 0;
    const found = new Map<string, Unsettled>();
    for (const run of runs) {
      // Those of its second are looked at, too: that costs no more than a look at their nodes.
      if (run.state === 'succeeded' || run.created_unix_s < sinceS) continue;
      if (run.base_etag !== store.appliedEtag) continue;
      const begun = run.steps.filter(
        ({ node, action, state }) =>
          action === 'install' &&
          state !== 'pending' &&
          state !== 'cancelled' &&
          Object.hasOwn(next.files, node),
      );
      if (begun.length === 0) continue;
      const { files } = (await store.nextOf(run.plan_id)).next;
      for (const { node } of begun) {
        const left = found.get(node) ?? { paths: new Set(), commands: new Set() };
        found.set(node, left);
        for (const path of Object.keys(files[node] ?? {})) left.paths.add(path);
        const own = run.steps.filter((step) => step.node === node);
        for (const command of own.flatMap(({ commands }) => commands)) left.commands.add(command);
      }
    }
    return found;
  }

  /** Never throws: what goes wrong is in the run. */
  async #carryOut(
    run: Run,
    next: StoredNext,
    secrets: Secrets,
    unsettled: ReadonlyMap<string, Unsettled>,
  ): Promise<void> {
    const { store, blobs, driver } = this.options;
    const { files } = store.applied.applied;
    const installer = new Installer(driver, blobs, secrets, next.next, (node) => [
      ...new Set([...Object.keys(files[node] ?? {}), ...(unsettled.get(node)?.paths ?? [])]),
    ]);
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
          this.#tell(run, number);
        },
      });
      const failed = run.steps.filter(({ state }) => state === 'failed');
      if (failed.length > 0) {
        const isPartial = run.steps.some(
          ({ action, state }) => action === 'install' && state === 'succeeded',
        );
        const messages = failed.map(({ node, message }) => `${node}: ${message}`);
        giveUp(run, isPartial ? 'partial' : 'failed', messages.join('; '));
      } else if (run.steps.some(({ state }) => state === 'pending')) {
        giveUp(run, 'cancelled', 'Cancelled before the last step.');
      } else {
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
    this.#tell(run, null);
    await this.options.onEnd(run);
  }

  async #recover(run: Run): Promise<void> {
    const { appliedEtag } = this.options.store;
    closeInterrupted(run, run.next_etag === appliedEtag && run.base_etag !== run.next_etag);
    run.ended_unix_s = this.#nowS();
    await this.#save(run);
  }

  #tell(run: Run, step: number | null): void {
    for (const listener of this.#listeners.get(run.id) ?? []) listener(run, step);
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

function isMap(secrets: Secrets | readonly SpecProblem[]): secrets is Secrets {
  return secrets instanceof Map;
}
