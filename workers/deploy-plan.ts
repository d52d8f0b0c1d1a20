import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import {
  appliedEtag,
  makePlan,
  NOTHING_APPLIED,
  type Applied,
} from '../src/deploy/plan/make-plan.js';
import type {
  PlanAnswer,
  PlannerTask,
  StoredNext,
  ValidateAnswer,
} from '../src/deploy/service/planner-protocol.js';
import { etagOf } from '../src/deploy/spec/canonical.js';
import { parseDocument } from '../src/deploy/spec/parse.js';
import { validate } from '../src/deploy/spec/validate.js';
import { Blobs } from '../src/deploy/state/blobs.js';
import { layout } from '../src/deploy/state/layout.js';

/** Reads a specification, or makes a plan. */
export default function run(task: PlannerTask): ValidateAnswer | PlanAnswer {
  return task.kind === 'validate' ? read(task) : plan(task);
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
  write(path.join(places.plans, `${made.plan.id}.next.json`), JSON.stringify(next));
  return { refused: null, plan: made.plan };
}

function write(file: string, text: string): void {
  const fd = openSync(`${file}.tmp`, 'w', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${file}.tmp`, file);
}
