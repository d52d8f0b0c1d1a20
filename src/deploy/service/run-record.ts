import { randomBytes } from 'node:crypto';
import type { Spec } from '../spec/schema.js';
import type { ManifestFile } from '../plan/manifest.js';
import type { StoredPlan } from './planner-protocol.js';

export type StepState = 'pending' | 'running' | 'succeeded' | 'failed' | 'staged' | 'cancelled';

/** A part of a run that is done as a whole. */
export interface Step {
  readonly node: string;
  readonly action: 'install' | 'reload';
  state: StepState;
  started_unix_s: number | null;
  ended_unix_s: number | null;
  message: string;
  /** The commands that the operator has to run on the node, of a step that ends `staged`. */
  readonly commands: readonly string[];
}

export type RunState = 'running' | 'succeeded' | 'failed' | 'cancelled' | 'partial';

/** The ramp that a run is a step of, and how far it is. */
export interface RunRamp {
  readonly id: string;
  /** From 1. */
  readonly step: number;
  /** Steps that are to follow this one. */
  readonly steps_left: number | null;
  readonly remaining_s: number | null;
}

/** The journal of a run: it is on the disk before each step begins, and after it. */
export interface Run {
  readonly id: string;
  readonly plan_id: string;
  readonly plan_sha256: string;
  readonly spec_etag: string;
  readonly base_etag: string;
  readonly next_etag: string;
  readonly actor: string;
  readonly idempotency_key: string;
  /** Null, or not there, for a plan that was applied by itself. */
  readonly ramp?: RunRamp | null;
  /** The run that this one completes; null, or not there, where a plan was applied. */
  readonly retry_of?: string | null;
  /** The nodes that the retry was asked for; null for all that were left. */
  readonly retry_nodes?: readonly string[] | null;
  readonly created_unix_s: number;
  ended_unix_s: number | null;
  state: RunState;
  message: string;
  readonly steps: Step[];
}

/** The remains on a node of runs that did not succeed. */
export interface Unsettled {
  /** Files that they may have written, by path: of each run another one. */
  readonly files: Map<string, readonly ManifestFile[]>;
  /** The commands that the operator may have run since, or was to run. */
  readonly commands: Set<string>;
}

/** Begins with the time in milliseconds, so that runs of one second keep their order. */
export function newRunId(nowMs: number): string {
  return `run-${timedHex(nowMs)}`;
}

/** 24 hex digits that begin with the time, so that names sort by it. */
export function timedHex(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0').slice(-12);
  return `${time}${randomBytes(6).toString('hex')}`;
}

export function inOrder(a: Run, b: Run): number {
  return a.created_unix_s - b.created_unix_s || (a.id < b.id ? -1 : 1);
}

const RUN_ID = /^run-[0-9a-f]{24}$/;

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/**
 * The steps of a plan: node after node, one zone at a time, each with its files first, and then the
 * services that the operator reloads.
 *
 * @param commandsOf - command lines for services
 * @param unsettled - nodes that have, whole or in part, files of runs that did not succeed
 */
export function stepsOf(
  { actions }: Pick<StoredPlan, 'actions'>,
  spec: Spec,
  commandsOf: (services: readonly string[]) => string[],
  unsettled: ReadonlyMap<string, Unsettled> = new Map(),
): Step[] {
  const place = new Map(
    spec.nodes.map(({ name, region, zone }) => [name, [region, zone] as const]),
  );
  const services = new Map<string, string[]>();
  const nodes = new Set(unsettled.keys());
  for (const { node, kind, target } of actions) {
    if (node === undefined) continue;
    nodes.add(node);
    if (kind === 'service.reload') services.set(node, [...(services.get(node) ?? []), target]);
  }
  const order = [...nodes].sort((a, b) => {
    const [regionA, zoneA] = place.get(a) ?? [0, 0];
    const [regionB, zoneB] = place.get(b) ?? [0, 0];
    return regionA - regionB || zoneA - zoneB || (a < b ? -1 : 1);
  });
  return order.flatMap((node) => {
    const own = commandsOf(services.get(node) ?? []);
    const commands = [...new Set([...own, ...(unsettled.get(node)?.commands ?? [])])];
    const install = step(node, 'install', []);
    return commands.length === 0 ? [install] : [install, step(node, 'reload', commands)];
  });
}

function step(node: string, action: Step['action'], commands: readonly string[]): Step {
  return {
    node,
    action,
    state: 'pending',
    started_unix_s: null,
    ended_unix_s: null,
    message: '',
    commands,
  };
}

/** Ends a run that has not succeeded: no step begins any more. */
export function giveUp(run: Run, state: 'cancelled' | 'failed' | 'partial', message: string): void {
  run.state = state;
  run.message = message;
  for (const step of run.steps) if (step.state === 'pending') step.state = 'cancelled';
}

/** @returns false for a run whose steps are all done: what it was to bring is on the nodes */
export function giveUpUnlessDone(run: Run): boolean {
  const failed = run.steps.filter(({ state }) => state === 'failed');
  if (failed.length > 0) {
    const isPartial = run.steps.some(
      ({ action, state }) => action === 'install' && state === 'succeeded',
    );
    const messages = failed.map(({ node, message }) => `${node}: ${message}`);
    giveUp(run, isPartial ? 'partial' : 'failed', messages.join('; '));
  } else if (run.steps.some(({ state }) => state === 'pending')) {
    giveUp(run, 'cancelled', 'Cancelled before the last step.');
  } else if (leftNodes(run).length > 0) {
    giveUp(run, 'partial', `Not retried: ${leftNodes(run).join(', ')}.`);
  } else return false;
  return true;
}

/**
 * Closes the journal of a run in whose middle the service ended.
 *
 * @param isInForce - whether what it was to bring is in force: then only its last word is missing
 */
export function closeInterrupted(run: Run, isInForce: boolean): void {
  if (isInForce) {
    run.state = 'succeeded';
    return;
  }
  const hasBegun = run.steps.some(({ state }) => state !== 'pending');
  for (const step of run.steps) {
    if (step.state !== 'running') continue;
    step.state = 'failed';
    step.message = 'The service ended during this step.';
  }
  const message = 'The service ended during the run. Apply the plan again: that completes it.';
  giveUp(run, hasBegun ? 'partial' : 'failed', message);
}

/** Whether nothing is left to do of a step, as far as the service can do it. */
function isDone({ state }: Step): boolean {
  return state === 'succeeded' || state === 'staged';
}

/** Nodes that have a step which is not done, in the order of the steps. */
export function leftNodes({ steps }: Pick<Run, 'steps'>): string[] {
  return [...new Set(steps.filter((each) => !isDone(each)).map(({ node }) => node))];
}

/**
 * The steps of a run that completes another one: those that were done as they were, the others anew.
 *
 * @param nodes - the nodes that are retried; the steps of others stay undone
 */
export function retrySteps({ steps }: Pick<Run, 'steps'>, nodes: readonly string[]): Step[] {
  return steps.map((before) => {
    if (isDone(before)) return { ...before };
    const anew = step(before.node, before.action, before.commands);
    if (nodes.includes(before.node)) return anew;
    return { ...anew, state: 'cancelled', message: 'Not part of this retry.' };
  });
}
