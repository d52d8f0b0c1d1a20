import { readFileSync } from 'node:fs';
import { unpackBuilder } from '../../src/ring/builder/builder-file.js';
import type { InstallFile } from '../../src/deploy/drivers/driver.js';
import { planRings, type PlanInput, type PlannedRings } from '../../src/deploy/plan/plan.js';
import type { InForce } from '../../src/deploy/plan/refusals.js';
import { sha256 } from '../../src/deploy/spec/canonical.js';
import type { Spec, SpecNode } from '../../src/deploy/spec/schema.js';
import { validate } from '../../src/deploy/spec/validate.js';
import { errorOf } from '../support/failure.js';

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

/** The example with each node changed. */
export function withEach(spec: Spec, change: (node: SpecNode, at: number) => SpecNode): Spec {
  return withNodes(spec, (nodes) => nodes.map(change));
}

/** The node with one weight for all its devices. */
export function weighing(node: SpecNode, weight: number): SpecNode {
  return { ...node, devices: node.devices.map((device) => ({ ...device, weight })) };
}

export function withThirdDevice(node: SpecNode): SpecNode {
  return { ...node, devices: [...node.devices, { name: 'd3', weight: 100 }] };
}

/** The example with another number of replicas in the ring of policy 0. */
export function withReplicas(spec: Spec, replicas: number): Spec {
  const rings = spec.rings.map((ring) => (ring.name === 'object' ? { ...ring, replicas } : ring));
  return { ...spec, rings };
}

/** The example with a node in a zone of its own. */
export function withFifthNode(spec: Spec): Spec {
  return withNodes(spec, (nodes) => [
    ...nodes,
    { ...nodes[3]!, name: 'node5', zone: 5, storage_ip: '127.0.1.5' },
  ]);
}

export const NODE = { name: 'node1', storage_ip: '127.0.0.1' };

/** A file to install with this text. */
export function fileOf(path: string, text: string, mode = 0o640): InstallFile {
  const content = Buffer.from(text);
  return { path, mode, content, sha256: sha256(content) };
}

/** The message of an error that work may end with, or `none`. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
  const failure = await errorOf(work);
  return failure instanceof Error ? failure.message : 'none';
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
