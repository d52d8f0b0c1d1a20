import { readFileSync } from 'node:fs';
import { unpackBuilder } from '../../src/ring/builder/builder-file.js';
import { planRings, type PlanInput, type PlannedRings } from '../../src/deploy/plan/plan.js';
import type { InForce } from '../../src/deploy/plan/refusals.js';
import type { Spec, SpecNode } from '../../src/deploy/spec/schema.js';
import { validate } from '../../src/deploy/spec/validate.js';

/** The folder of the project, from `dist/test/deploy/`. */
const ROOT = new URL('../../../', import.meta.url);

/** The text of the example that is shipped. */
export function exampleText(): string {
  return readFileSync(new URL('ops/examples/deploy-spec.json', ROOT), 'utf8');
}

/** The example, as something to change. */
export function exampleJson(): Record<string, unknown> {
  return JSON.parse(exampleText()) as Record<string, unknown>;
}

/** @throws Error where the specification is wrong */
export function specOf(value: unknown): Spec {
  const { spec, errors } = validate(value);
  if (spec === undefined) throw new Error(JSON.stringify(errors));
  return spec;
}

export function exampleSpec(): Spec {
  return specOf(exampleJson());
}

/** The example with other nodes. */
export function withNodes(spec: Spec, change: (nodes: SpecNode[]) => SpecNode[]): Spec {
  return specOf({ ...spec, nodes: change(structuredClone(spec.nodes)) });
}

export const NOW_S = 1_700_000_000;
export const HOUR_S = 3600;
export const NOTHING: InForce = { spec: undefined, builders: new Map() };

export function plan(spec: Spec, inForce: InForce, more: Partial<PlanInput> = {}): PlannedRings {
  return planRings({ spec, inForce, seed: 1, nowS: NOW_S, allowLarge: false, ...more });
}

/** The state in force once a plan has been applied. */
export function applied(spec: Spec, { rings }: PlannedRings): InForce {
  const builders = new Map(rings.map(({ name, builder }) => [name, unpackBuilder(builder)]));
  return { spec, builders };
}
