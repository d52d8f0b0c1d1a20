import { mapLimited } from '../../lib/promises.js';
import { nodeOf, type Applied } from '../plan/make-plan.js';
import type { Installer } from './installer.js';
import type { Run, Step } from './run-record.js';

/** The means to take the steps of a run. */
export interface StepsContext {
  readonly run: Run;
  readonly installer: Pick<Installer, 'install' | 'reload'>;
  /** At most so many nodes of a zone at a time. */
  readonly parallel: number;
  /** Nodes of the same zone have the same text. */
  readonly zoneOf: (node: string) => string;
  readonly isCancelled: () => boolean;
  readonly nowS: () => number;
  /** A step has changed; it is on the disk when this resolves. */
  readonly onStep: (number: number) => Promise<void>;
}

/** The zone of a node, as a text that no other zone has. */
export function zoneOf(next: Applied, name: string): string {
  const { region, zone } = nodeOf(next, name);
  return `${region}/${zone}`;
}

interface NumberedStep {
  readonly number: number;
  readonly step: Step;
}

/**
 * Takes the steps of a run in their order: one zone after the other, the nodes of a zone side by side,
 * the steps of a node one by one. No step begins once one has failed, or the run is cancelled.
 *
 * @throws system errors of the journal, once the steps that are under way have ended
 */
export async function takeSteps(context: StepsContext): Promise<void> {
  const { run, parallel, zoneOf: zone, isCancelled } = context;
  const mustStop = (): boolean =>
    isCancelled() || run.steps.some(({ state }) => state === 'failed');
  for (const nodes of zonesOf(run, zone)) {
    await mapLimited(nodes, parallel, async (steps) => {
      for (const { number, step } of steps) {
        if (mustStop()) return;
        // A run that completes another one has steps that were done.
        if (step.state === 'pending') await takeStep(context, number, step);
      }
    });
    if (mustStop()) return;
  }
}

/** Steps by zone, then by node. */
function zonesOf({ steps }: Run, zone: StepsContext['zoneOf']): NumberedStep[][][] {
  const zones = new Map<string, Map<string, NumberedStep[]>>();
  for (const [number, step] of steps.entries()) {
    const key = zone(step.node);
    const nodes = zones.get(key) ?? new Map<string, NumberedStep[]>();
    zones.set(key, nodes);
    nodes.set(step.node, [...(nodes.get(step.node) ?? []), { number, step }]);
  }
  return [...zones.values()].map((nodes) => [...nodes.values()]);
}

async function takeStep(context: StepsContext, number: number, step: Step): Promise<void> {
  const { onStep, nowS } = context;
  step.state = 'running';
  step.started_unix_s = nowS();
  await onStep(number);
  try {
    const { state, message } = await act(context, step);
    step.state = state;
    step.message = message;
  } catch (error) {
    step.state = 'failed';
    step.message = (error as Error).message;
  }
  step.ended_unix_s = nowS();
  await onStep(number);
}

async function act(
  { run, installer }: StepsContext,
  { node, action, commands }: Step,
): Promise<Pick<Step, 'state' | 'message'>> {
  if (action === 'install') {
    const changed = await installer.install(run.id, node);
    const message = changed === 0 ? 'All files were in place.' : `${changed} files changed.`;
    return { state: 'succeeded', message };
  }
  if (await installer.reload(node, commands)) {
    return { state: 'succeeded', message: 'The services run.' };
  }
  return { state: 'staged', message: 'Run these commands on the node.' };
}
