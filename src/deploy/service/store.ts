import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { appliedEtag, NOTHING_APPLIED, type Applied } from '../plan/make-plan.js';
import { etagOf } from '../spec/canonical.js';
import type { Spec } from '../spec/schema.js';
import { makeFolder, readJson, writeDurably } from '../../lib/durable-file.js';
import { layout, type Layout } from '../state/layout.js';
import { RAMPS_KEPT, RUNS_KEPT } from '../state/prune.js';
import type { StoredNext, StoredPlan } from './planner-protocol.js';

/** The applied state, with the facts that only the nodes' files tell. */
export interface AppliedFile {
  readonly applied: Applied;
  /** SHA-256 of the files as they were installed, secrets included: by node, then by path. */
  readonly installed: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Shows whether prefix and suffix are what they were, without telling them. */
  readonly hash_check: { readonly salt: string; readonly digest: string } | null;
}

const NOTHING: AppliedFile = { applied: NOTHING_APPLIED, installed: {}, hash_check: null };

export interface SpecFile {
  readonly spec: Spec;
  readonly etag: string;
}

/** The entity tag of a specification that is not there yet. */
export const NO_SPEC_ETAG = etagOf(null);

const ETAG = /^sha256-[0-9a-f]{64}$/;
const PLAN_ID = /^[0-9a-f]{24}$/;

/** The documents of the state directory: each is replaced as a whole. */
export class DeployStore {
  #spec: SpecFile | undefined;
  #applied: AppliedFile = NOTHING;
  #appliedEtag = appliedEtag(NOTHING_APPLIED);

  private constructor(readonly places: Layout) {}

  /** @throws system errors, SyntaxError for a file that was changed by hand */
  static async open(stateDir: string): Promise<DeployStore> {
    const store = new DeployStore(layout(stateDir));
    const { specs, plans, runs, ramps, blobs, checks } = store.places;
    for (const folder of [stateDir, specs, plans, runs, ramps, blobs, checks]) {
      await makeFolder(folder);
    }
    store.#spec = await readJson<SpecFile>(store.places.spec);
    store.#take((await readJson<AppliedFile>(store.places.applied)) ?? NOTHING);
    return store;
  }

  get spec(): SpecFile | undefined {
    return this.#spec;
  }

  get specEtag(): string {
    return this.#spec?.etag ?? NO_SPEC_ETAG;
  }

  get applied(): AppliedFile {
    return this.#applied;
  }

  /** The entity tag of what is in force: a plan is for one. */
  get appliedEtag(): string {
    return this.#appliedEtag;
  }

  /** Keeps a specification, also beyond the next one. */
  async keepSpec(file: SpecFile): Promise<void> {
    await writeDurably(path.join(this.places.specs, `${file.etag}.json`), JSON.stringify(file));
  }

  async setSpec(file: SpecFile): Promise<void> {
    await this.keepSpec(file);
    await writeDurably(this.places.spec, JSON.stringify(file));
    this.#spec = file;
  }

  /** A specification that was taken before. */
  async specByEtag(etag: string): Promise<SpecFile | undefined> {
    if (!ETAG.test(etag)) return undefined;
    return readJson<SpecFile>(path.join(this.places.specs, `${etag}.json`));
  }

  async setApplied(file: AppliedFile): Promise<void> {
    await writeDurably(this.places.applied, JSON.stringify(file));
    this.#take(file);
  }

  async setPlan(plan: StoredPlan): Promise<void> {
    await writeDurably(path.join(this.places.plans, `${plan.id}.json`), JSON.stringify(plan));
  }

  async plan(id: string): Promise<StoredPlan | undefined> {
    if (!PLAN_ID.test(id)) return undefined;
    return readJson<StoredPlan>(path.join(this.places.plans, `${id}.json`));
  }

  /** Keeps what a plan leads to, where the thread that plans did not. */
  async setNext(id: string, next: StoredNext): Promise<void> {
    await writeDurably(path.join(this.places.plans, `${id}.next.json`), JSON.stringify(next));
  }

  /** @throws Error where the plan has none: it was not made to its end */
  async nextOf(id: string): Promise<StoredNext> {
    const next = await readJson<StoredNext>(path.join(this.places.plans, `${id}.next.json`));
    if (next === undefined) throw new Error(`the plan ${id} is not whole`);
    return next;
  }

  /** Journals of the latest runs, in their order. */
  runFiles(): Promise<string[]> {
    return journals(this.places.runs, RUNS_KEPT);
  }

  rampFiles(): Promise<string[]> {
    return journals(this.places.ramps, RAMPS_KEPT);
  }

  runFile(id: string): string {
    return path.join(this.places.runs, `${id}.json`);
  }

  #take(file: AppliedFile): void {
    this.#applied = file;
    this.#appliedEtag = appliedEtag(file.applied);
  }
}

/** Their names begin with the time. */
async function journals(folder: string, max: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  return names
    .sort()
    .slice(-max)
    .map((name) => path.join(folder, name));
}
