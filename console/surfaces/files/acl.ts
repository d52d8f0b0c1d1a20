/** Swift's container ACLs, explained before they are stored (swift.common.middleware.acl). */

export type AclKind = 'read' | 'write';

interface AclElement {
  /** The text that will be stored. */
  readonly text: string;
  /** Its meaning, as a sentence. */
  readonly words: string;
}

export interface AclReading {
  readonly elements: readonly AclElement[];
  /** Why the store would refuse it; empty for an ACL that it takes. */
  readonly problems: readonly string[];
  /** Rules that the store takes, and that are probably not meant. */
  readonly warnings: readonly string[];
  /** The whole list in the form in which it is kept. */
  readonly text: string;
}

const REFERRERS: ReadonlySet<string> = new Set(['.r', '.ref', '.referer', '.referrer']);
const LISTINGS = '.rlistings';
const HOST = /^(?:\*|\.?[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)$/;

/** Elements stand between commas or on lines of their own. */
export function readAcl(list: string, kind: AclKind): AclReading {
  const elements: AclElement[] = [];
  const problems: string[] = [];
  for (const raw of list.split(/[,\n]/)) {
    const given = raw.trim();
    if (given === '') continue;
    const read = readElement(given, kind);
    if (typeof read === 'string') problems.push(read);
    else if (!elements.some(({ text }) => text === read.text)) elements.push(read);
  }
  const text = elements.map((one) => one.text).join(',');
  return { elements, problems, warnings: warningsOf(elements, kind), text };
}

/** @returns a text for what is wrong with it */
function readElement(given: string, kind: AclKind): AclElement | string {
  const colon = given.indexOf(':');
  const first = (colon === -1 ? given : given.slice(0, colon)).trim();
  const second = colon === -1 ? '' : given.slice(colon + 1).trim();
  if (colon === -1 && first === LISTINGS) {
    return kind === 'write'
      ? '“.rlistings” is valid only in the read list.'
      : {
          text: LISTINGS,
          words: 'Clients allowed by the referrer rules can also list the bucket.',
        };
  }
  if (first.startsWith('.')) return readReferrer(given, first, second, colon !== -1, kind);
  if (first === '') return `“${given}” has no account name.`;
  if (/\s/.test(given)) return `“${given}” contains a space.`;
  return { text: given, words: wordsOfGroup(first, second, colon !== -1, kind) };
}

function readReferrer(
  given: string,
  first: string,
  second: string,
  hasColon: boolean,
  kind: AclKind,
): AclElement | string {
  if (!hasColon || !REFERRERS.has(first)) return `“${given}” is not a valid access rule.`;
  if (kind === 'write') return `Referrers cannot be granted write access: “${given}”.`;
  const denies = second.startsWith('-');
  const pattern = denies ? second.slice(1).trim() : second;
  const host = pattern.length > 1 && pattern.startsWith('*') ? pattern.slice(1).trim() : pattern;
  if (host === '' || host === '.') return `“${given}” has no host name.`;
  if (!HOST.test(host))
    return `“${host}” is not a valid host. Enter a host name, “.domain” or “*”.`;
  const text = `.r:${denies ? '-' : ''}${host}`;
  return { text, words: wordsOfReferrer(host, denies) };
}

/** The words leave S3 out: it refuses readers without a key unless the gateway has an `anonymous_account`. */
const PUBLIC = 'Anyone can read objects at the store’s address without logging in.';

function wordsOfReferrer(host: string, denies: boolean): string {
  if (host === '*') {
    return denies ? 'All referrers are denied.' : PUBLIC;
  }
  const pages = host.startsWith('.') ? `any subdomain of ${host.slice(1)}` : host;
  return denies
    ? `Referrers from ${pages} are denied unless a later rule allows them.`
    : `Referrers from ${pages} can read objects without logging in.`;
}

function wordsOfGroup(account: string, user: string, hasUser: boolean, kind: AclKind): string {
  const can =
    kind === 'read' ? 'can read objects and list the bucket' : 'can upload and delete objects';
  if (account === '*' && user === '*') return `Any authenticated user ${can}.`;
  if (!hasUser || user === '*' || user === '') return `All users in account ${account} ${can}.`;
  if (account === '*') return `User ${user} in any account ${can}.`;
  return `User ${user} in account ${account} ${can}.`;
}

function warningsOf(elements: readonly AclElement[], kind: AclKind): string[] {
  const texts = elements.map(({ text }) => text);
  const allows = texts.some((text) => text.startsWith('.r:') && !text.startsWith('.r:-'));
  const warnings: string[] = [];
  if (texts.includes(LISTINGS) && !allows) {
    warnings.push('“.rlistings” has no effect without a referrer rule such as “.r:*”.');
  }
  const last = texts.lastIndexOf('.r:*');
  if (texts.slice(0, Math.max(last, 0)).some((text) => text.startsWith('.r:-'))) {
    warnings.push(
      'The last matching rule applies: “.r:*” allows referrers that earlier rules deny.',
    );
  }
  if (allows && texts.some((text) => text.startsWith('.r:') && text !== '.r:*')) {
    warnings.push(
      'Clients can forge the Referer header. Use referrer rules to prevent hotlinking, not to protect private data.',
    );
  }
  if (kind === 'write' && texts.includes('*:*')) {
    warnings.push('Any authenticated user can write to this bucket.');
  }
  return warnings;
}

/** Whether objects are open to everybody. */
export function isPublic(read: string): boolean {
  return read.split(',').includes('.r:*');
}
