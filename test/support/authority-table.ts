/**
 * The rights that count behind a pointer: kinds of pointers, ways to read through them, and readers.
 * A suite makes the pointers in its store, reads through each of them in each way as each of the three,
 * and compares with {@link verdictOf}; nothing of a target may be in a refusal, and no way may change
 * one. Suites of stores without accounts of others leave the rows with `elsewhere` out.
 *
 * The store has, in the account A, of which `owner` is an owner and `member` none:
 *
 *     b    read .r:* and member, write member
 *     bv   the same, with versions of S3's
 *     bs   the same, with versions of Swift's own
 *     x    closed: what lies there is for the owner
 *
 * and in another account, V: `vx`, closed, and `vo`, which the owner of A may read. The member writes
 * pointers wherever the store lets a member; owners write the others.
 */

export const WHO = ['owner', 'member', 'anonymous'] as const;
export type Who = (typeof WHO)[number];

export const WAYS = [
  'GET',
  'HEAD',
  'range',
  'version null',
  'presigned',
  'tags',
  'copy',
  'part copy',
] as const;
/**
 * Ways around S3. Swift is asked as the reader itself, on a proxy that knows nothing of Ringway: its
 * answers are what all others are to be like. A TempURL is of the pointer's container. The console
 * reads by the user's token, and by its key what Swift alone does not join.
 */
export const OTHER_WAYS = ['Swift', 'TempURL', 'console', 'preview'] as const;
export type Way = (typeof WAYS)[number];
export type OtherWay = (typeof OTHER_WAYS)[number];
type AnyWay = Way | OtherWay;

/** `all` may, the `owner` alone, `none`, or the `users` with a name. */
type Readers = 'all' | 'owner' | 'users' | 'none';

export interface Pointer {
  readonly name: string;
  readonly what: string;
  readonly bucket: 'b' | 'bv' | 'bs';
  readonly readers: Readers;
  /** Ways that differ, as with manifests, which tell their size without their segments. */
  readonly except?: Readonly<Partial<Record<AnyWay, Readers>>>;
  /** The content to read: the member's own, or content that only some may read. */
  readonly content: keyof typeof CONTENTS;
  /** A TempURL of its container opens it: nothing of it lies in another one. */
  readonly byUrl?: true;
  /** It leads to another account. */
  readonly elsewhere?: true;
  /** The status of changes in place (tags, ACL) by the owner; default 200. */
  readonly change?: 405;
}

export const CONTENTS = {
  open: 'what the member has written',
  closed: 'what lies in x, for the owner of A',
  closedTwice: 'what lies in x, for the owner of Awhat lies in x, for the owner of A',
  foreign: 'what lies in vx, for the owner of V',
  granted: 'what lies in vo, for owners of both',
} as const;

/** Static manifests: nothing of their segments is asked for. */
const OF_MANIFEST = { HEAD: 'all', tags: 'all' } as const;

export const POINTERS: readonly Pointer[] = [
  row('plain', 'an ordinary object', 'all', 'open', { byUrl: true }),
  {
    ...row('version', 'our link to a version', 'all', 'open', { except: { Swift: 'owner' } }),
    bucket: 'bv',
  },
  row('parts', 'our object of parts', 'all', 'open'),
  row('link-open', 'a link into the same bucket', 'all', 'open', { byUrl: true, change: 405 }),
  row('link-closed', 'a link to a closed container', 'owner', 'closed', { change: 405 }),
  row('link-foreign', 'a link to another account', 'none', 'foreign', ELSEWHERE()),
  row('link-granted', 'a link to what another account grants', 'owner', 'granted', ELSEWHERE()),
  row('link-static', 'a static link to a closed container', 'owner', 'closed', { change: 405 }),
  row('link-chain', 'a link to a link to a closed container', 'owner', 'closed', { change: 405 }),
  {
    ...row('link-other', 'a link to a version of another key', 'owner', 'closed', { change: 405 }),
    bucket: 'bv',
  },
  row('dlo', 'a dynamic manifest of a closed container', 'owner', 'closedTwice'),
  row('dlo-posted', 'an object of S3 that a POST made a manifest', 'owner', 'closedTwice'),
  row('dlo-link', 'a dynamic manifest with a link to another account', 'none', 'foreign', {
    elsewhere: true,
    except: { HEAD: 'users', tags: 'users' },
  }),
  row('slo', 'a static manifest of a closed container', 'owner', 'closed', { except: OF_MANIFEST }),
  row('slo-nested', 'a manifest of a manifest of a closed container', 'owner', 'closed', {
    except: OF_MANIFEST,
  }),
  row(
    'replaced',
    'an object of parts, one replaced by a link to another account',
    'none',
    'foreign',
    {
      elsewhere: true,
      except: OF_MANIFEST,
    },
  ),
  row(
    'copied',
    'a copy of our link, with its metadata, to another account',
    'none',
    'foreign',
    ELSEWHERE(),
  ),
  {
    ...row('hidden', 'an object of which Swift keeps versions', 'all', 'open', { byUrl: true }),
    bucket: 'bs',
  },
];

function ELSEWHERE() {
  return { elsewhere: true, change: 405 } as const;
}

function row(
  name: string,
  what: string,
  readers: Readers,
  content: Pointer['content'],
  more: Partial<Pointer> = {},
): Pointer {
  return { name, what, bucket: 'b', readers, content, ...more };
}

const ONLY_MEMBER: ReadonlySet<AnyWay> = new Set(['presigned', 'part copy', 'TempURL', 'preview']);

/**
 * The readers that a way is tried for. An owner may do all that a member may, and a member all that a
 * stranger may: the border between those who may and who may not is enough, unless all are wanted.
 */
export function readersToTry(pointer: Pointer, way: AnyWay, all: boolean): readonly Who[] {
  const verdict = (who: Who) => verdictOf(pointer, way, who);
  const asked = WHO.filter((who) => verdict(who) !== undefined);
  if (all) return asked;
  const allowed = asked.filter((who) => verdict(who) === 'allowed');
  const denied = asked.filter((who) => verdict(who) === 'denied');
  return [...allowed.slice(-1), ...denied.slice(0, 1)];
}

/** Whether one may read through a pointer in a way; undefined where the way is not theirs. */
export function verdictOf(
  pointer: Pointer,
  way: AnyWay,
  who: Who,
): 'allowed' | 'denied' | undefined {
  // The rights of others by S3's own ACL of the object are another question.
  if (way === 'tags' && who !== 'owner') return undefined;
  // The same is decided for the same user: once is enough.
  if (ONLY_MEMBER.has(way) && who !== 'member') return undefined;
  if (way === 'TempURL') return pointer.byUrl ? 'allowed' : 'denied';
  if (who === 'anonymous' && way !== 'GET' && way !== 'HEAD' && way !== 'Swift') return undefined;
  // Where versions are kept, `null` is another question.
  if (way === 'version null' && pointer.bucket !== 'b') return undefined;
  const readers = pointer.except?.[way] ?? pointer.readers;
  const may = { all: true, owner: who === 'owner', users: who !== 'anonymous', none: false };
  return may[readers] ? 'allowed' : 'denied';
}
