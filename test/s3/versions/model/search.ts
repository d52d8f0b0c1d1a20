import { advance, isVersion, type Index, type World } from './protocol.js';
import type { Rules } from './rules.js';

/** A state that must not be, and how it came to be. */
export interface Violation {
  readonly what: string;
  readonly trace: readonly string[];
}

interface Node {
  readonly world: World;
  readonly what: string;
  readonly from: Node | undefined;
}

/** More are a mistake of the model. */
const STATES_MAX = 100_000;

/**
 * Goes through all states that the actors can reach, in whatever order they act.
 *
 * @returns the first violation that it finds
 */
export function search(rules: Rules, beginning: World): Violation | undefined {
  const known = new Set<string>();
  const open: Node[] = [{ world: beginning, what: 'begin', from: undefined }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const name = JSON.stringify(node.world);
    if (known.has(name)) continue;
    known.add(name);
    if (known.size > STATES_MAX) throw new Error(`more than ${STATES_MAX} states`);
    const next = successors(rules, node.world);
    const what = next.length === 0 ? violationOf(rules, node.world) : undefined;
    if (what !== undefined) return { what, trace: traceOf(node) };
    for (const [step, world] of next) open.push({ world, what: step, from: node });
  }
  return undefined;
}

function successors(rules: Rules, world: World): [string, World][] {
  const found: [string, World][] = [];
  for (const [number, { role, at }] of world.actors.entries()) {
    const next = advance(rules, world, number);
    if (next === undefined) continue;
    found.push([`${role} ${number}: ${at}`, next]);
    if (role !== 'writer' || world.crashesLeft === 0) continue;
    const actors = world.actors.with(number, { role, at: 'end', todo: '-' });
    found.push([`${role} ${number} crashes`, { ...world, actors, crashesLeft: 0 }]);
  }
  // The listing comes after the store, each row by itself, for as long as anybody may read it.
  const lister = world.actors.find(({ role, at }) => role === 'lister' && at === 'begin');
  if (lister === undefined || world.rows === undefined) return found;
  const { index = world.rows.index, key, rows } = world;
  if (rows.index.generation !== index.generation) {
    found.push(['the index is listed', { ...world, rows: { ...rows, index } }]);
  }
  if (rows.link !== key.generation) {
    const listed = { ...rows, link: key.generation, entry: key.entry };
    found.push(['the link is listed', { ...world, rows: listed }]);
  }
  return found;
}

/** The violation in a world where nobody does anything any more. */
function violationOf(rules: Rules, world: World): string | undefined {
  const hasCrashed = world.actors.some(({ todo }) => todo === '-');
  const before = hasCrashed ? repaired(rules, world) : world;
  const { log } = followed(rules, before);
  const [current = ''] = log;
  const hasFirst = isVersion(log.at(-1)) && (before.index?.generation ?? 0) > 1;
  if (hasFirst && !before.isMoved) return 'the first version is gone';
  for (const entry of world.answered) {
    if (log.split(entry).length !== 2)
      return `${entry} is there ${log.split(entry).length - 1} times`;
  }
  for (const [entry, earlier] of Object.entries(world.begun)) {
    for (const one of earlier) {
      if (log.includes(entry) && log.indexOf(entry) > log.indexOf(one))
        return `${entry} is below ${one}`;
    }
  }
  const expected = isVersion(current) ? current : '';
  const isEmptied = before.key.entry === '' && world.actors.some(({ role }) => role === 'client');
  if (before.key.entry !== expected && !isEmptied)
    return `${before.key.entry} is at the key, not ${expected}`;
  for (const { role, before: earlier = '', got } of world.actors) {
    if (role === 'writer' || got === undefined) continue;
    if (got === '?') return `a ${role} got an index for a version`;
    const place = got === '' ? log.length : log.indexOf(got);
    const missed = Array.from(earlier).find((entry) => log.indexOf(entry) < place);
    if (missed !== undefined) return `a ${role} got ${got || 'nothing'}, and not ${missed}`;
  }
  return undefined;
}

/** The index as whoever reads it finds it. */
function followed(rules: Rules, { index, fences }: World): Index {
  let { generation, log } = index ?? { generation: 0, log: '' };
  for (let fence = fences[generation + 1]; fence?.parent === log; fence = fences[generation + 1]) {
    if (!rules.fencesAreFollowed) break;
    generation += 1;
    log = fence.entry + log;
  }
  return { generation, log };
}

/** The next actor that asks for the key brings a crashed writer's remains in step. */
function repaired(rules: Rules, world: World): World {
  const reader = { role: 'writer', at: 'read index', todo: '-', syncing: true } as const;
  let now: World = { ...world, actors: [reader] };
  for (let step = 0; step < REPAIR_STEPS_MAX; step++) now = advance(rules, now, 0) ?? now;
  return now;
}

const REPAIR_STEPS_MAX = 40;

function traceOf(node: Node): string[] {
  const trace: string[] = [];
  for (let at: Node | undefined = node; at !== undefined; at = at.from) trace.unshift(at.what);
  return trace;
}
