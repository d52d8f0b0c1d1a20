import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  appliedEtag,
  makePlan,
  NOTHING_APPLIED,
  type Applied,
} from '../src/deploy/plan/make-plan.js';
import { importRings } from '../src/deploy/plan/import-rings.js';
import type {
  ImportAnswer,
  PlanAnswer,
  PlannerTask,
  StoredNext,
  ValidateAnswer,
} from '../src/deploy/service/planner-protocol.js';
import { etagOf } from '../src/deploy/spec/canonical.js';
import { parseDocument } from '../src/deploy/spec/parse.js';
import { validate } from '../src/deploy/spec/validate.js';
import { Blobs } from '../src/deploy/state/blobs.js';
import { pruneState, type Pruned } from '../src/deploy/state/prune.js';
import { layout } from '../src/deploy/state/layout.js';
import { writeDurablySync } from '../src/lib/durable-file.js';

/** Reads a specification, makes a plan, reads the rings of a cluster that exists, or prunes the state. */
export default function run(
  task: PlannerTask,
): ValidateAnswer | PlanAnswer | Pruned | Promise<ImportAnswer> {
  switch (task.kind) {
    case 'validate':
      return read(task);
    case 'plan':
      return plan(task);
    case 'import-rings':
      return takeRings(task);
    case 'prune':
      return pruneState(layout(task.stateDir), task);
  }
}

async function takeRings({
  text,
  stateDir,
}: Extract<PlannerTask, { kind: 'import-rings' }>): Promise<ImportAnswer> {
  const { value, problems } = parseDocument(text);
  if (value === undefined) return { problems, rings: [], builders: {} };
  const places = layout(stateDir);
  const { blobs, ...answer } = await importRings(value, (ring) =>
    path.join(places.importedRings, `${ring}.ring.gz`),
  );
  const kept = new Blobs(places.blobs);
  if (answer.problems.length === 0) {
    for (const [hash, content] of blobs) kept.putSync(hash, content);
  }
  return answer;
}

function read({ text, member }: Extract<PlannerTask, { kind: 'validate' }>): ValidateAnswer {
  const { value, problems } = parseDocument(text);
  if (value === undefined) {
    return { spec: null, specEtag: '', errors: problems, warnings: [], rest: {} };
  }
  const { spec: inner, ...rest } = value;
  if (member === 'spec' && inner === undefined) {
    return { spec: null, specEtag: '', errors: [], warnings: [], rest };
  }
  const { spec, errors, warnings } = validate(member === 'spec' ? inner : value);
  const specEtag = spec === undefined ? '' : etagOf(spec);
  return { spec: spec ?? null, specEtag, errors, warnings, rest: member === 'spec' ? rest : {} };
}

function plan(task: Extract<PlannerTask, { kind: 'plan' }>): PlanAnswer {
  const places = layout(task.stateDir);
  const applied = existsSync(places.applied)
    ? (JSON.parse(readFileSync(places.applied, 'utf8')) as { applied: Applied }).applied
    : NOTHING_APPLIED;
  const blobs = new Blobs(places.blobs);
  const made = makePlan({ ...task, applied }, (hash) => blobs.getSync(hash));
  if (made.refused !== null) return made;
  for (const [hash, content] of made.blobs) blobs.putSync(hash, content);
  const next: StoredNext = { next: made.next, next_etag: appliedEtag(made.next) };
  writeDurablySync(path.join(places.plans, `${made.plan.id}.next.json`), JSON.stringify(next));
  return { refused: null, plan: made.plan };
}
