import path from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../../../src/lib/durable-file.js';
import type { ActiveAlert } from './evaluator.js';
import type { Rule } from './rule.js';

const FILE = 'monitor-alerts.json';
const ALERTS_MAX = 2000;
/** A pending condition that was not checked for this long begins again. */
const PENDING_GAP_MS = 5 * 60_000;

const KEPT = z.strictObject({
  at_ms: z.number(),
  alerts: z
    .array(
      z.strictObject({
        rule: z.string(),
        labels: z.record(z.string(), z.string()),
        id: z.string(),
        value: z.number(),
        since_ms: z.number(),
        state: z.enum(['pending', 'firing']),
      }),
    )
    .max(ALERTS_MAX),
});

/** Writes what is wrong beside the former file, and puts it in its place when it is on the disk. */
export async function saveAlerts(
  alerts: readonly ActiveAlert[],
  stateDir: string,
  nowMs: number,
): Promise<void> {
  const kept: z.infer<typeof KEPT> = {
    at_ms: nowMs,
    alerts: alerts.slice(0, ALERTS_MAX).map(({ id, rule, labels, value, sinceMs, state }) => ({
      rule: rule.name,
      labels: { ...labels },
      id,
      value,
      since_ms: sinceMs,
      state,
    })),
  };
  await writeDurably(path.join(stateDir, FILE), JSON.stringify(kept));
}

/**
 * The alerts at the end of the console; each stays until its source says otherwise.
 * @returns none where there is no file
 * @throws Error when the file is none of ours
 */
export async function restoreAlerts(
  rules: readonly Rule[],
  stateDir: string,
  nowMs: number,
): Promise<ActiveAlert[]> {
  const kept = await readJson<unknown>(path.join(stateDir, FILE));
  if (kept === undefined) return [];
  const { at_ms: atMs, alerts } = KEPT.parse(kept);
  // A clock that was put back says nothing of how long something has been so.
  if (atMs > nowMs) return [];
  return alerts.flatMap(({ rule: name, id, labels, value, since_ms: sinceMs, state }) => {
    const rule = rules.find((one) => one.name === name);
    if (rule === undefined) return [];
    const goesOn = state === 'firing' || nowMs - atMs <= PENDING_GAP_MS;
    return [{ id, rule, labels, value, sinceMs: goesOn ? sinceMs : nowMs, state }];
  });
}

/** Whether others are wrong, or fire, than before; values alone change all the time. */
export function hasChanged(before: readonly ActiveAlert[], after: readonly ActiveAlert[]): boolean {
  const keys = (alerts: readonly ActiveAlert[]) =>
    alerts.map(({ id, state, sinceMs }) => `${id} ${state} ${sinceMs}`).join('\n');
  return keys(before) !== keys(after);
}
