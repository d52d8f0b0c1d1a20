type Report = (path: readonly PropertyKey[], code: string, message: string) => void;

type Place = readonly PropertyKey[];
type Json = Readonly<Record<string, unknown>>;

/** A list whose entries are to differ. */
interface Differing {
  readonly place: Place;
  readonly list: unknown;
  /** Values that may be there once, and their place in the entry; none where that is no text. */
  readonly keysOf: (entry: unknown) => readonly (readonly [key: Place, value: unknown])[];
  readonly expected: string;
  /** Whether capital and small letters are the same. */
  readonly isFolded?: boolean;
}

/**
 * Values that are there twice. Each is looked at by itself: it is told of an entry that has another
 * mistake, too.
 */
export function duplicateProblems(raw: Json, report: Report): void {
  const { policies, rings, nodes } = raw;
  const users = membersOf(membersOf(raw.proxy).auth).users;
  const all: Differing[] = [
    named(['policies'], policies, 'index', 'each index'),
    {
      place: ['policies'],
      list: policies,
      keysOf: policyNames,
      expected: 'each name, in any case,',
      isFolded: true,
    },
    named(['rings'], rings, 'name', 'each ring'),
    named(['nodes'], nodes, 'name', 'each node'),
    { place: ['proxy', 'auth', 'users'], list: users, keysOf: userName, expected: 'each user' },
    ...listOf(nodes).flatMap((node, at) => ofNode(['nodes', at], membersOf(node))),
  ];
  for (const { place, list, keysOf, expected, isFolded = false } of all) {
    const seen = new Set<unknown>();
    for (const [at, entry] of listOf(list).entries()) {
      for (const [key, value] of keysOf(entry)) {
        if (typeof value !== 'string' && typeof value !== 'number') continue;
        const same = isFolded ? String(value).toUpperCase() : value;
        if (seen.has(same)) {
          report(
            [...place, at, ...key],
            'duplicate',
            `expected ${expected} once, got ${value} twice`,
          );
        }
        seen.add(same);
      }
    }
  }
}

function ofNode(place: Place, { devices, roles }: Json): Differing[] {
  const itself = (entry: unknown) => [[[], entry]] as const;
  return [
    { place: [...place, 'roles'], list: roles, keysOf: itself, expected: 'each role' },
    named([...place, 'devices'], devices, 'name', 'each device'),
    ...listOf(devices).map((device, at) => ({
      place: [...place, 'devices', at, 'rings'],
      list: membersOf(device).rings,
      keysOf: itself,
      expected: 'each ring',
    })),
  ];
}

function named(place: Place, list: unknown, key: string, expected: string): Differing {
  return { place, list, keysOf: (entry) => [[[key], membersOf(entry)[key]]], expected };
}

/** A policy is found by its name and by each of its aliases. */
function policyNames(entry: unknown): (readonly [Place, unknown])[] {
  const { name, aliases } = membersOf(entry);
  return [
    [['name'], name],
    ...listOf(aliases).map((alias, at) => [['aliases', at], alias] as const),
  ];
}

function userName(entry: unknown): readonly (readonly [Place, unknown])[] {
  const { account, user } = membersOf(entry);
  const isWhole = typeof account === 'string' && typeof user === 'string';
  return isWhole ? [[['user'], `${account}:${user}`]] : [];
}

function membersOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
