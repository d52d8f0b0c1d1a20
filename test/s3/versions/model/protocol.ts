/**
 * The protocol of docs/versions.md, "On Swift", without anything else: one key, whose writes each take
 * one step. The names are those of the state diagram there.
 */

import type { Rules } from './rules.js';

/** Entries by their letters, newest first: `a` to `m` are versions, `n` to `z` delete markers. */
export interface Index {
  readonly generation: number;
  readonly log: string;
}

/** The state of the key: a link, or since when there is none (`generation` 0). */
interface Standing {
  readonly generation: number;
  readonly entry: string;
  readonly at: number;
}

type Place =
  | 'begin'
  | 'create index'
  | 'read index'
  | 'follow fences'
  | 'store followed'
  | 'look first'
  | 'create fence'
  | 'read fence'
  | 'store index'
  | 'write link'
  | 'look behind'
  | 'write behind'
  | 'look'
  | 'write seen'
  | 'compare'
  | 'answer'
  | 'store postponed'
  | 'get'
  | 'list'
  | 'end';

export interface Actor {
  /** A client of the store deletes the link. */
  readonly role: 'writer' | 'reader' | 'lister' | 'client';
  readonly at: Place;
  /** The entries that it has to add, one after the other. */
  readonly todo: string;
  /** Its store looks at links that it has not seen. */
  readonly isLookedFor?: boolean;
  /** As it remembers it; undefined where it knows nothing of the key. */
  readonly index?: Index | undefined;
  readonly moved?: boolean;
  /** It has moved the first version, and stores an index next. */
  readonly hasRoom?: boolean;
  /** Its commit is decided, or it has none: it brings the key in step. */
  readonly syncing?: boolean;
  /** The link that it knows to be there, and what that stands behind. */
  readonly known?: { readonly generation: number; readonly base: number } | undefined;
  readonly seen?: Standing;
  /** The generation whose link something later at the key has refused. */
  readonly refused?: number;
  readonly postponed?: Index | undefined;
  /** Of a reader: what was acknowledged when it began, and what it got. */
  readonly before?: string;
  readonly got?: string;
}

export interface World {
  readonly index: Index | undefined;
  readonly fences: Readonly<Record<number, { readonly parent: string; readonly entry: string }>>;
  /** The first version lies at its own name, too: until then, where the first index is. */
  readonly isMoved: boolean;
  readonly key: Standing;
  readonly clock: number;
  readonly actors: readonly Actor[];
  readonly answered: string;
  /** The entries that were answered before each entry was begun. */
  readonly begun: Readonly<Record<string, string>>;
  /** The listing, which lags: undefined where nobody lists. */
  readonly rows?: { readonly index: Index; readonly link: number; readonly entry: string };
  readonly crashesLeft: number;
}

/** Times: a base of {@link BASE}, the creation of the index being 0, and a rank behind it. */
const BASE = 100;
const EMPTY: Index = { generation: 0, log: '' };

export const NOTHING: World = {
  index: undefined,
  fences: {},
  isMoved: false,
  key: { generation: 0, entry: '', at: -1 },
  clock: 0,
  actors: [],
  answered: '',
  begun: {},
  crashesLeft: 0,
};

export function isVersion(entry: string | undefined): boolean {
  return entry !== undefined && entry !== '' && entry <= 'm';
}

type Step = readonly [Partial<World>, Partial<Actor>];

/** Takes the next step of one actor. @returns undefined when it has ended */
export function advance(rules: Rules, world: World, number: number): World | undefined {
  const actor = world.actors[number];
  if (actor === undefined || actor.at === 'end') return undefined;
  const [change, next] = STEPS[actor.at](rules, world, actor);
  const actors = world.actors.with(number, { ...actor, ...next });
  return { ...world, ...change, actors };
}

const STEPS: Readonly<Record<Place, (rules: Rules, world: World, actor: Actor) => Step>> = {
  begin(_, world, { role, todo, index, known, isLookedFor }) {
    if (role === 'client') {
      const key = { generation: 0, entry: '', at: fresh(world) };
      return [{ key, clock: world.clock + 1 }, { at: 'end' }];
    }
    if (role !== 'writer') {
      return [{}, { at: role === 'reader' ? 'get' : 'list', before: world.answered }];
    }
    const [entry = ''] = todo;
    const begun = { ...world.begun, [entry]: world.answered };
    if (index !== undefined) return [{ begun }, ready(index, entry, known, isLookedFor)];
    const guess = { at: 'create index', index: EMPTY } as const;
    return [{ begun }, isVersion(entry) ? guess : { at: 'read index' }];
  },
  'create index'(rules, world, { todo }) {
    if (world.index !== undefined && rules.firstIndexIsExclusive) return [{}, { at: 'read index' }];
    const [entry = ''] = todo;
    const index = { generation: 1, log: entry };
    return [{ index }, { index, at: isVersion(entry) ? 'write link' : 'answer' }];
  },
  'read index'(_, world) {
    return [{}, { index: world.index ?? EMPTY, moved: false, at: 'follow fences' }];
  },
  'follow fences'(rules, world, actor) {
    const { index = EMPTY } = actor;
    const fence = world.fences[index.generation + 1];
    if (rules.fencesAreFollowed && fence?.parent === index.log) {
      return [{}, { index: behind(index, fence.entry), moved: true }];
    }
    return [{}, actor.moved === true ? { at: 'store followed' } : whenRead(actor)];
  },
  'store followed'(rules, world, actor) {
    return stored(rules, world, actor, actor.index, whenRead(actor));
  },
  'look first'(_, { key }, { index = EMPTY }) {
    const isThere = key.generation === index.generation;
    return [{}, { at: 'create fence', ...(isThere && { known: knownOf(key) }) }];
  },
  'create fence'(rules, world, { index = EMPTY, todo, known, postponed, isLookedFor }) {
    const generation = index.generation + 1;
    const [entry = ''] = todo;
    if (world.fences[generation] !== undefined && rules.fencesAreExclusive) {
      return [{}, { at: 'read fence' }];
    }
    const fences = { ...world.fences, [generation]: { parent: index.log, entry } };
    const next = behind(index, entry);
    const isBehindLink = mayFollow(index, known, isLookedFor);
    const waits = isVersion(entry) ? isBehindLink : !rules.deletionsAreStored;
    const at = waits ? 'write link' : 'store index';
    return [{ fences }, { at, index: next, postponed: waits ? next : postponed }];
  },
  'read fence'(rules, world, { index = EMPTY, todo, known, isLookedFor }) {
    const fence = world.fences[index.generation + 1];
    if (fence?.parent !== index.log) return [{}, { at: 'read index' }];
    const theirs = behind(index, fence.entry);
    const next = rules.lostFencesAreApplied ? theirs : { ...theirs, log: index.log };
    const stays = known?.generation === index.generation && isVersion(fence.entry);
    const follows = stays ? { ...known, generation: next.generation } : known;
    const [entry = ''] = todo;
    return [{}, { ...ready(next, entry, follows, isLookedFor), index: next, known: follows }];
  },
  'store index'(rules, world, actor) {
    return stored(rules, world, actor, actor.index, { at: 'write link' });
  },
  'write link'(rules, world, { index = EMPTY, known, todo, isLookedFor = false }) {
    const { generation } = index;
    const [entry = ''] = todo;
    if (!rules.answersWaitForLinks && isVersion(entry)) return [{}, { at: 'answer' }];
    if (!rules.answersWaitForDeletions && !isVersion(entry)) return [{}, { at: 'answer' }];
    if (generation === 1) {
      if (world.key.generation !== 0) return [{}, { at: 'read index', syncing: true }];
      const at = rules.firstLinkIsPlaced ? 1 : fresh(world);
      return written(rules, world, index, at, 'answer');
    }
    if (known === undefined && isLookedFor && isVersion(index.log[0])) {
      return [{}, { at: 'look behind' }];
    }
    if (known?.generation !== generation - 1) return [{}, { at: 'look', syncing: true }];
    return written(rules, world, index, known.base + generation, 'answer');
  },
  'look behind'(rules, { key }, { index = EMPTY }) {
    const isBefore = key.generation === index.generation - 1;
    if (!isBefore && rules.unseenLinksAreLookedAt) return [{}, { at: 'read index', syncing: true }];
    return [{}, { at: 'write behind', seen: key }];
  },
  'write behind'(rules, world, { index = EMPTY, seen = world.key }) {
    return written(rules, world, index, baseOf(seen.at) + index.generation, 'answer');
  },
  look(_, { key }, { index = EMPTY }) {
    const { generation, log } = index;
    if (key.generation > generation) return [{}, { at: 'read index', syncing: true }];
    if (key.generation === generation && isVersion(log[0])) {
      return [{}, { at: 'answer', known: knownOf(key) }];
    }
    return [{}, { at: 'write seen', seen: key }];
  },
  'write seen'(rules, world, { index = EMPTY, seen = world.key, refused }) {
    const { generation, log } = index;
    if (seen.generation !== 0) {
      const at = baseOf(seen.at) + generation;
      const isBefore = seen.generation === generation - 1 || !isVersion(log[0]);
      return written(rules, world, index, at, isBefore ? 'answer' : 'compare');
    }
    if (isVersion(log[0])) {
      if (world.key.generation !== 0) return [{}, { at: 'read index', syncing: true }];
      if (world.key.at < generation) return written(rules, world, index, generation, 'compare');
      // Another client's deletion, if the index is still the same.
      if (refused === generation) return written(rules, world, index, fresh(world), 'compare');
      return [{}, { at: 'read index', syncing: true, refused: generation }];
    }
    if (!rules.emptyKeysAreKept || generation <= 1) return [{}, { at: 'answer' }];
    return written(rules, world, index, generation, 'answer');
  },
  compare(rules, world, { index }) {
    if (!rules.createdLinksAreCompared) return [{}, { at: 'answer' }];
    const isStored = world.index?.generation === index?.generation;
    return [{}, isStored ? { at: 'answer' } : { at: 'read index', syncing: true }];
  },
  answer(_, world, { role, todo, postponed }) {
    if (role !== 'writer') return [{}, { at: 'get', syncing: false }];
    const left = todo.slice(1);
    const end = postponed === undefined ? 'end' : 'store postponed';
    const at = left === '' ? end : 'begin';
    return [{ answered: world.answered + todo.slice(0, 1) }, { todo: left, syncing: false, at }];
  },
  'store postponed'(rules, world, actor) {
    return stored(rules, world, actor, actor.postponed, { at: 'end' });
  },
  get(rules, { key, index = EMPTY }) {
    const isBroken = key.generation === 1 && index.generation > 1;
    if (isBroken && rules.firstLinksAreFixed) return [{}, { at: 'read index', syncing: true }];
    if (isBroken) return [{}, { got: '?', at: 'end' }];
    if (key.generation !== 0) return [{}, { got: key.entry, at: 'end' }];
    return [{}, { at: 'read index' }];
  },
  list(rules, world) {
    const { index, link, entry } = world.rows ?? { index: EMPTY, link: 0, entry: '' };
    const shown = { before: entry, got: index.log.slice(0, 1) };
    if (link <= index.generation || !rules.laterLinksAreNoticed)
      return [{}, { ...shown, at: 'end' }];
    return [{}, { ...shown, at: 'read index' }];
  },
  end: () => [{}, {}],
};

/** A writer is about to commit on this index. */
function ready(
  index: Index,
  entry: string,
  known: Actor['known'],
  isLookedFor: boolean | undefined,
): Partial<Actor> {
  if (index.generation === 0) return { at: 'create index' };
  const isKnown = mayFollow(index, known, isLookedFor);
  return { at: isVersion(entry) && !isKnown ? 'look first' : 'create fence' };
}

/** Whether the next link can be put behind that of this index without a look. */
function mayFollow(index: Index, known: Actor['known'], isLookedFor = false): boolean {
  return known === undefined ? isLookedFor : known.generation === index.generation;
}

function whenRead(actor: Actor): Partial<Actor> {
  const { role, index = EMPTY, syncing, todo, known, isLookedFor } = actor;
  const [entry = ''] = todo;
  const [current = ''] = index.log;
  // A request for a key without a version needs no link; nor does a page.
  const isRead = role === 'lister' || (role === 'reader' && !isVersion(current) && !syncing);
  if (isRead) return { at: 'end', got: current };
  if (syncing === true || role === 'reader' || index.log.includes(entry))
    return { at: 'look', syncing: true };
  return ready(index, entry, known, isLookedFor);
}

function behind({ generation, log }: Index, entry: string): Index {
  return { generation: generation + 1, log: entry + log };
}

/** Stores an index of a later generation: the first version is moved in one step, and it in the next. */
function stored(
  rules: Rules,
  world: World,
  { hasRoom = false }: Actor,
  index: Index | undefined,
  then: Partial<Actor>,
): Step {
  if (!hasRoom && rules.firstVersionsAreMoved) {
    const isMoved = world.isMoved || world.index?.generation === 1;
    return [{ isMoved }, { hasRoom: true }];
  }
  const isLater = (index?.generation ?? 0) > (world.index?.generation ?? 0);
  const change = isLater || !rules.indexesAreOrdered ? { index } : {};
  return [change, { ...then, hasRoom: false }];
}

/** A write at the key, which a later one makes stale. */
function written(rules: Rules, world: World, index: Index, place: number, then: Place): Step {
  const at = rules.linksAreOrdered || index.generation === 1 ? place : fresh(world);
  const { key } = world;
  const [entry = ''] = index.log;
  if (key.at >= at) {
    const isDone = key.generation === 0 && !isVersion(entry);
    return [{}, isDone ? { at: then } : { at: 'read index', syncing: true }];
  }
  const clock = at >= BASE ? Math.max(world.clock, Math.floor(at / BASE)) : world.clock;
  const standing = isVersion(entry)
    ? { generation: index.generation, entry, at }
    : { generation: 0, entry: '', at };
  const known = isVersion(entry) ? knownOf(standing) : undefined;
  return [
    { key: standing, clock },
    { at: then, known },
  ];
}

function fresh({ clock }: World): number {
  return (clock + 1) * BASE;
}

function baseOf(at: number): number {
  return Math.floor(at / BASE) * BASE;
}

function knownOf({ generation, at }: Standing): NonNullable<Actor['known']> {
  return { generation, base: baseOf(at) };
}
