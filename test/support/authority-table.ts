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
export type Way = (typeof WAYS)[number];

/** `all` may, the `owner` alone, `none`, or the `users` with a name. */
type Readers = 'all' | 'owner' | 'users' | 'none';

export interface Pointer {
  readonly name: string;
  readonly what: string;
  readonly bucket: 'b' | 'bv' | 'bs';
  readonly readers: Readers;
  /** Ways that differ, as with manifests, which tell their size without their segments. */
  readonly except?: Readonly<Partial<Record<Way, Readers>>>;
  /** What is read: of the member's own, or of what only some may read. */
  readonly content: keyof typeof CONTENTS;
  /** It leads to another account. */
  readonly elsewhere?: true;
  /** What changes in place (tags, ACL) come to for the owner; default 200. */
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
  row('plain', 'an ordinary object', 'all', 'open'),
  { ...row('version', 'our link to a version', 'all', 'open'), bucket: 'bv' },
  row('parts', 'our object of parts', 'all', 'open'),
  row('link-open', 'a link into the same bucket', 'all', 'open', { change: 405 }),
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
  { ...row('hidden', 'an object of which Swift keeps versions', 'all', 'open'), bucket: 'bs' },
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

/** Whether one may read through a pointer in a way; undefined where the way is not theirs. */
export function verdictOf(pointer: Pointer, way: Way, who: Who): 'allowed' | 'denied' | undefined {
  // What others may do by S3's own ACL of the object is another question.
  if (way === 'tags' && who !== 'owner') return undefined;
  // The same is decided for the same user: once is enough.
  if ((way === 'presigned' || way === 'part copy') && who !== 'member') return undefined;
  if (who === 'anonymous' && way !== 'GET' && way !== 'HEAD') return undefined;
  // Where versions are kept, `null` is another question.
  if (way === 'version null' && pointer.bucket !== 'b') return undefined;
  const readers = pointer.except?.[way] ?? pointer.readers;
  const may = { all: true, owner: who === 'owner', users: who !== 'anonymous', none: false };
  return may[readers] ? 'allowed' : 'denied';
}
