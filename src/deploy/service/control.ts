import type { Driver } from '../drivers/driver.js';
import type { AuditEvent } from '../../lib/audit/audit-log.js';
import type { ExclusiveAudit } from '../../lib/audit/exclusive-audit.js';
import { SerialQueues } from '../../lib/promises.js';
import type { ImportedRing } from '../plan/import-rings.js';
import type { PlanJson } from '../plan/make-plan.js';
import { makeRepairPlan } from '../plan/repair-plan.js';
import type { checkPrograms, FilesToCheck, ProgramCheck } from '../render/check-programs.js';
import type { Spec } from '../spec/schema.js';
import { Blobs } from '../state/blobs.js';
import type { AskRecon } from '../ramp/recon.js';
import { ClusterLook } from './cluster-look.js';
import type { DeployOptions } from './config.js';
import { driftOf, type NodeDrift } from './drift.js';
import { DeployError } from './errors.js';
import { Planner } from './planner.js';
import { Pruning } from './pruning.js';
import type { StoredPlan, ValidateAnswer } from './planner-protocol.js';
import type { Run } from './run-record.js';
import { Ramps } from './ramps.js';
import { unreachableNodes } from './reach.js';
import { Runs } from './runs.js';
import { SharedLook } from './shared-look.js';
import { DeployStore, type SpecFile } from './store.js';
import { unsettledNodes, unsettledRun } from './unsettled.js';

export interface ControlOptions {
  readonly options: DeployOptions;
  readonly driver: Driver;
  readonly audit: Pick<ExclusiveAudit, 'write'>;
  readonly now: () => number;
  readonly onAuditLost: (error: unknown) => void;
  /** Has Swift's own programs check files. */
  readonly check: typeof checkPrograms;
  /** How servers of Swift are asked. */
  readonly ask: AskRecon;
  /** Between two looks of a ramp; that of the configuration, unless a test says otherwise. */
  readonly rampPollMs?: number | undefined;
  readonly dispersionProgram?: string | undefined;
  /** Requests for the status share a look at the nodes that is no older; another age in tests. */
  readonly statusAgeMs?: number | undefined;
}

const STATUS_AGE_MS = 5000;

/** The options of a request for a plan. */
export interface PlanWish {
  readonly seed: number;
  readonly allowLarge: boolean;
}

type Act = Pick<AuditEvent, 'actor' | 'ip' | 'request_id' | 'action' | 'target' | 'result'> &
  Partial<Pick<AuditEvent, 'details'>>;

/** The functions of the control service, whatever speaks to it. */
export class Control {
  readonly planner = new Planner();
  readonly #specs = new SerialQueues();
  readonly #checks = new SerialQueues();
  readonly #looks: SharedLook<NodeDrift[]>;
  #ramps: Ramps | undefined;
  readonly #pruning: Pruning;

  private constructor(
    private readonly parts: ControlOptions,
    readonly store: DeployStore,
    readonly blobs: Blobs,
    readonly runs: Runs,
  ) {
    this.#pruning = new Pruning(this.planner, parts.options, () => this.nowS());
    this.#looks = new SharedLook(() => this.drift(), parts.statusAgeMs ?? STATUS_AGE_MS);
  }

  /** @throws system errors when the state cannot be read and written */
  static async open(parts: ControlOptions): Promise<Control> {
    const { options, driver, now } = parts;
    const store = await DeployStore.open(options.stateDir);
    const blobs = new Blobs(store.places.blobs);
    const runs = await Runs.open({
      store,
      blobs,
      driver,
      now,
      secretsDir: options.secretsDir,
      parallelNodes: options.parallelNodes,
      onEnd: async (run) => {
        const result =
          run.state === 'succeeded' ? 'ok' : run.state === 'partial' ? 'partial' : 'failed';
        const base = { actor: run.actor, ip: '', request_id: '', target: run.id, result } as const;
        const details = { state: run.state, plan: run.plan_id };
        await record(parts, { ...base, action: 'deploy.run', details }).catch(parts.onAuditLost);
      },
    });
    const control = new Control(parts, store, blobs, runs);
    control.#ramps = await control.#openRamps();
    control.#pruning.begin();
    return control;
  }

  get ramps(): Ramps {
    if (this.#ramps === undefined) throw new Error('it is not open yet');
    return this.#ramps;
  }

  async #openRamps(): Promise<Ramps> {
    const { parts, store, runs, blobs } = this;
    const { options, now, ask, dispersionProgram } = parts;
    const cluster = new ClusterLook({
      blobs,
      applied: () => store.applied.applied,
      unsettledRun: () => unsettledRun(runs.latest(Infinity), store),
      ask,
      nowS: () => this.nowS(),
      dispersionConf: options.dispersionConf,
      dispersionProgram,
    });
    return Ramps.open(
      {
        folder: store.places.ramps,
        now,
        pollMs: parts.rampPollMs ?? options.rampPollS * 1000,
        specOf: (etag) => store.specByEtag(etag),
        plan: (spec, allowLarge) => this.plan(spec, { seed: 1, allowLarge }),
        planOf: (id) => store.plan(id),
        runOf: (key) => runs.byKey(key),
        stepRun: ({ id, runs: done }) => {
          const isOf = ({ ramp }: Run) => ramp?.id === id && ramp.step === done.length + 1;
          const run = runs
            .latest(Infinity)
            .find((each) => isOf(each) || each.state === 'succeeded');
          return run !== undefined && isOf(run) ? run : undefined;
        },
        placedS: () =>
          store.applied.applied.spec === null
            ? null
            : (runs.latest(Infinity).find(({ state }) => state === 'succeeded')?.ended_unix_s ?? 0),
        appliedEtag: () => store.appliedEtag,
        apply: async (plan, key, { id, actor, runs: before, steps_left, remaining_s }) => {
          const ramp = { id, step: before.length + 1, steps_left, remaining_s };
          return runs.ended(await runs.apply({ plan, ifMatch: plan.base_etag, key, actor, ramp }));
        },
        look: (ramp, signal) => cluster.look(ramp, signal),
        onEnd: async ({ id: target, actor, state, message }) => {
          const result = state === 'succeeded' ? 'ok' : 'partial';
          const act = { actor, ip: '', request_id: '', action: 'deploy.ramp', target, result };
          await record(parts, { ...act, result, details: { state, message } }).catch(
            parts.onAuditLost,
          );
        },
      },
      await store.rampFiles(),
    );
  }

  /** Resolves when the record is on the disk. @throws system errors; then nothing may be done */
  record(act: Act): Promise<void> {
    return record(this.parts, act);
  }

  async setSpec({ spec, specEtag }: ValidateAnswer, ifMatch: string): Promise<SpecFile> {
    if (spec === null) throw new Error('only a specification without errors is kept');
    // One after the other: the next one is compared with what this one has written.
    return this.#specs.run('', async () => {
      if (ifMatch !== this.store.specEtag) {
        const message = 'The specification was changed since it was read.';
        throw new DeployError('precondition_failed', message, { etag: this.store.specEtag });
      }
      const file = { spec, etag: specEtag };
      await this.store.setSpec(file);
      return file;
    });
  }

  /**
   * Takes the rings of a cluster that exists, from the folder `import` of the state: the first plan
   * goes on from them.
   *
   * @throws DeployError `unprocessable` with everything that is wrong, `locked`
   */
  importRings(text: string, actor: string): Promise<readonly ImportedRing[]> {
    const { store } = this;
    return this.runs.hold(actor, async () => {
      const { spec } = store.applied.applied;
      if (spec !== null) {
        const message = 'A plan was applied here already: its rings would be lost.';
        throw new DeployError('unprocessable', message);
      }
      const answer = await this.planner.importRings(text, this.parts.options.stateDir);
      const { problems: errors, rings, builders } = answer;
      if (errors.length > 0) {
        throw new DeployError('unprocessable', 'Rings cannot be imported.', { errors });
      }
      const applied = { spec: null, builders, files: {} };
      await store.setApplied({ applied, installed: {}, hash_check: null });
      return rings;
    });
  }

  /** @throws DeployError `unprocessable` with everything that is refused */
  async plan(file: SpecFile, { seed, allowLarge }: PlanWish): Promise<StoredPlan> {
    const { options, now } = this.parts;
    const nowS = Math.floor(now() / 1000);
    await this.store.keepSpec(file);
    const answer = await this.planner.plan({
      spec: file.spec,
      stateDir: options.stateDir,
      seed,
      nowS,
      allowLarge,
      installRoot: options.filesFor === 'folder' ? options.installRoot : '',
    });
    if (answer.refused !== null) {
      throw new DeployError('unprocessable', 'The change is refused.', { errors: answer.refused });
    }
    const { plan } = answer;
    // Programs of Swift take a second of CPU each.
    const checks = await this.#checks.run('', () => this.#check(plan.id, file.spec));
    return this.#keep(plan, checks);
  }

  async #keep(plan: PlanJson, checks: readonly ProgramCheck[]): Promise<StoredPlan> {
    const { store } = this;
    const stored = await store.nextOf(plan.id);
    const left = await unsettledNodes(this.runs.latest(Infinity), stored, store);
    const unsettled = [...left.keys()].sort();
    const nodes = [...plan.actions.flatMap(({ node }) => node ?? []), ...unsettled];
    const unreachable = await unreachableNodes(this.parts.driver, stored.next, nodes);
    const nowS = this.nowS();
    const times = {
      created_unix_s: nowS,
      expires_unix_s: nowS + this.parts.options.planValidS,
    };
    const kept: StoredPlan = { ...plan, ...times, checks, unreachable, unsettled };
    await store.setPlan(kept);
    return kept;
  }

  /** How the files of each node compare with what is in force. */
  drift(): Promise<NodeDrift[]> {
    const { options, driver } = this.parts;
    const { blobs, store } = this;
    const nowS = () => this.nowS();
    return driftOf(store.applied, { driver, blobs, secretsDir: options.secretsDir, nowS });
  }

  /** As {@link drift}, by a look that others may have taken a few seconds ago. */
  sharedDrift(): Promise<NodeDrift[]> {
    const { id, ended_unix_s: ended } = this.runs.latest(1)[0] ?? {};
    // A run that has begun or ended since, and what it brought into force, are seen at once.
    return this.#looks.get(JSON.stringify([this.store.appliedEtag, id, ended]));
  }

  /**
   * Plans to install again what is in force, where nodes have something else, or a secret is another.
   *
   * @throws DeployError `unprocessable` before anything was applied
   */
  async planRepair(): Promise<StoredPlan> {
    const { store } = this;
    const { applied } = store.applied;
    if (applied.spec === null) {
      throw new DeployError('unprocessable', 'Nothing was applied yet that could be repaired.');
    }
    const all = await this.drift();
    const drifted = all.filter(({ state }) => state === 'drift');
    const unknown = all.filter(({ state }) => state === 'unknown').map(({ node }) => node);
    const plan = makeRepairPlan(
      applied,
      drifted.map(({ node, files }) => ({
        node,
        files: files.map(({ path, should_be }) => ({ path, should_be })),
      })),
      unknown,
    );
    await store.setNext(plan.id, { next: applied, next_etag: plan.base_etag, repair: true });
    return this.#keep(plan, []);
  }

  /** Every file as a run leaves it, by node and path. */
  async artifacts({ plan_id: id }: Run) {
    const { next } = await this.store.nextOf(id);
    const plan = await this.store.plan(id);
    const written = new Set(
      plan?.actions.flatMap(({ kind, node = '', target }) =>
        kind === 'conf.render' ? [`${node}/${target}`] : [],
      ),
    );
    return Object.entries(next.files).flatMap(([node, own]) =>
      Object.entries(own)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, { sha256 }]) => ({
          node,
          path,
          sha256,
          changed: written.has(`${node}/${path}`),
        })),
    );
  }

  /** A file of a node as a run installed it, without its secrets. */
  async artifact(run: Run, node: string, path: string): Promise<Buffer> {
    const { next } = await this.store.nextOf(run.plan_id);
    const own = Object.hasOwn(next.files, node) ? next.files[node] : undefined;
    const file = own !== undefined && Object.hasOwn(own, path) ? own[path] : undefined;
    if (file === undefined) throw new DeployError('not_found', 'The run has no such file.');
    return this.blobs.get(file.sha256);
  }

  nowS(): number {
    return Math.floor(this.parts.now() / 1000);
  }

  async close(): Promise<void> {
    this.#pruning.end();
    await Promise.all([this.#ramps?.close(), this.runs.close()]);
    await this.planner.close();
  }

  /**
   * Checks what changes: rings, and the configurations of one node of each kind, since nodes of the
   * same roles have the same but for addresses.
   */
  async #check(plan: string, { nodes }: Spec): Promise<ProgramCheck[]> {
    const { next } = await this.store.nextOf(plan);
    const before = this.store.applied.applied.files;
    const kinds = new Map(nodes.map((node) => [[...node.roles].sort().join(), node.name]));
    const configs = new Map<string, Buffer>();
    const rings = new Map<string, Buffer>();
    for (const node of kinds.values()) {
      for (const [path, { sha256 }] of Object.entries(next.files[node] ?? {})) {
        if (before[node]?.[path]?.sha256 === sha256) continue;
        const [, name = '', kind] = /^etc\/swift\/(.+)\.(conf|ring\.gz)$/.exec(path) ?? [];
        const files = kind === 'conf' ? configs : kind === 'ring.gz' ? rings : undefined;
        if (files?.has(name) === false) files.set(name, await this.blobs.get(sha256));
      }
    }
    const files: FilesToCheck = {
      rings: [...rings].map(([name, file]) => ({ name, file })),
      configs: [...configs].map(([name, content]) => ({ name: `${name}.conf`, content })),
    };
    return this.parts.check(files, this.store.places.checks);
  }
}

function record({ audit }: ControlOptions, act: Act): Promise<void> {
  return audit.write({ role: 'deploy', ...act });
}
