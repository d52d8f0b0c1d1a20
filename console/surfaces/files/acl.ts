/** Swift's container ACLs, explained before they are stored (swift.common.middleware.acl). */

export type AclKind = 'read' | 'write';

export interface AclElement {
  /** The text that will be stored. */
  readonly text: string;
  /** What it means, as a sentence. */
  readonly words: string;
}

export interface AclReading {
  readonly elements: readonly AclElement[];
  /** Why the store would refuse it; empty for an ACL that it takes. */
  readonly problems: readonly string[];
  /** What it takes, and is probably not meant. */
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
      ? 'Listings are nothing to write: “.rlistings” belongs into the read list.'
      : { text: LISTINGS, words: 'Whom the referrer rules let in may list the container, too.' };
  }
  if (first.startsWith('.')) return readReferrer(given, first, second, colon !== -1, kind);
  if (first === '') return `“${given}” names no account.`;
  if (/\s/.test(given)) return `“${given}” has a blank in it.`;
  return { text: given, words: wordsOfGroup(first, second, colon !== -1, kind) };
}

function readReferrer(
  given: string,
  first: string,
  second: string,
  hasColon: boolean,
  kind: AclKind,
): AclElement | string {
  if (!hasColon || !REFERRERS.has(first)) return `“${given}” is no rule that the store knows.`;
  if (kind === 'write') return `Referrers cannot be let write: “${given}”.`;
  const denies = second.startsWith('-');
  const pattern = denies ? second.slice(1).trim() : second;
  const host = pattern.length > 1 && pattern.startsWith('*') ? pattern.slice(1).trim() : pattern;
  if (host === '' || host === '.') return `“${given}” names no host.`;
  if (!HOST.test(host)) return `“${host}” is no host: write a name, “.domain” or “*”.`;
  const text = `.r:${denies ? '-' : ''}${host}`;
  return { text, words: wordsOfReferrer(host, denies) };
}

function wordsOfReferrer(host: string, denies: boolean): string {
  if (host === '*') {
    return denies ? 'No referrer is let in.' : 'Anyone may read objects, without a login.';
  }
  const pages = host.startsWith('.') ? `any host below ${host.slice(1)}` : host;
  return denies
    ? `Readers sent by pages of ${pages} are refused, unless a later rule lets them in.`
    : `Readers sent by pages of ${pages} may read objects, without a login.`;
}

function wordsOfGroup(account: string, user: string, hasUser: boolean, kind: AclKind): string {
  const may =
    kind === 'read' ? 'may read objects and list the container' : 'may upload and delete objects';
  if (!hasUser) return `All users of account ${account} ${may}.`;
  if (account === '*' && user === '*') return `Anyone who is logged in ${may}.`;
  if (account === '*') return `A user named ${user}, of any account, ${may}.`;
  if (user === '*' || user === '') return `All users of account ${account} ${may}.`;
  return `User ${user} of account ${account} ${may}.`;
}

function warningsOf(elements: readonly AclElement[], kind: AclKind): string[] {
  const texts = elements.map(({ text }) => text);
  const allows = texts.some((text) => text.startsWith('.r:') && !text.startsWith('.r:-'));
  const warnings: string[] = [];
  if (texts.includes(LISTINGS) && !allows) {
    warnings.push('“.rlistings” does nothing without a referrer rule such as “.r:*”.');
  }
  const last = texts.lastIndexOf('.r:*');
  if (texts.slice(0, Math.max(last, 0)).some((text) => text.startsWith('.r:-'))) {
    warnings.push('The last rule that fits decides: “.r:*” lets in whom rules before it refuse.');
  }
  if (allows && texts.some((text) => text.startsWith('.r:') && text !== '.r:*')) {
    warnings.push(
      'A referrer is what the reader says: it keeps links from being embedded, no secrets.',
    );
  }
  if (kind === 'write' && texts.includes('*:*')) {
    warnings.push('Anyone with a login may write here.');
  }
  return warnings;
}

/** Whether objects are open to everybody. */
export function isPublic(read: string): boolean {
  return read.split(',').includes('.r:*');
}
