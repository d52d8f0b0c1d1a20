import { canonicalBody } from './canonical.js';
import type { Dialect } from './case.js';
import type { RawAnswer } from './raw-request.js';

export const VERDICTS = ['identical', 'cosmetic', 'semantic', 'breaking'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Difference {
  readonly verdict: Verdict;
  /** The subject of the comparison: `status`, `header etag`, `body`. */
  readonly rule: string;
  readonly detail: string;
}

/** The difference of a step in which nothing differs. */
export const SAME: Difference = { verdict: 'identical', rule: '', detail: '' };

/** Times, ids, tokens, cookies, and what a connection says of itself. */
const DROPPED =
  /^(?:date|server|connection|keep-alive|transfer-encoding|x-trans-id|x-openstack-request-id|last-modified|x-timestamp|x-put-timestamp|x-backend-.*|x-amz-request-id|x-amz-id-2|via|set-cookie|x-auth-token|x-storage-token)$/;
/** Lists whose order says nothing. */
const SETS = /^(?:allow|vary|access-control-.*)$/;
/** Headers that clients act on; others are a matter of looks. */
const MEANT =
  /^(?:etag|content-length|content-type|content-range|content-encoding|accept-ranges|x-delete-at|x-object-meta-.*|x-container-(?!policy).*|x-amz-(?:meta-.*|version-id|delete-marker|storage-class)|location|x-static-large-object|x-object-manifest)$/;

/**
 * Compares two answers of one step.
 * @param method - of the request, in upper case
 * @returns all that differs, the most important first; nothing where they are alike
 */
export function compare(
  a: RawAnswer,
  b: RawAnswer,
  dialect: Dialect,
  method = 'GET',
): Difference[] {
  const [one, two] = [a.status ?? a.transport, b.status ?? b.transport];
  const detail = `${one} and ${two}`;
  // Nothing else of answers that differ so much is worth a word.
  if (a.transport !== b.transport) return [{ verdict: 'breaking', rule: 'transport', detail }];
  if (a.status !== b.status) {
    const isClass = Math.floor((a.status ?? 0) / 100) !== Math.floor((b.status ?? 0) / 100);
    return [{ verdict: isClass ? 'breaking' : 'semantic', rule: 'status', detail }];
  }
  const failed = serverError(a);
  if (failed !== undefined) return [failed];
  const isMeant = meantOf(a, b, method);
  const headers = headerDifferences(a, b);
  return [
    ...headers
      .filter(({ name }) => isMeant(name))
      .map(({ rule, detail: text }) => ({ verdict: 'semantic' as const, rule, detail: text })),
    ...bodyDifference(a, b, dialect),
    ...headers
      .filter(({ name }) => !isMeant(name))
      .map(({ rule, detail: text }) => ({ verdict: 'cosmetic' as const, rule, detail: text })),
  ];
}

/** Judges one side alone: it must give a valid answer, and no failure of the server. */
export function judge(a: RawAnswer): Difference[] {
  if (a.transport === 'timeout') {
    return [{ verdict: 'semantic', rule: 'timeout', detail: 'no answer in time' }];
  }
  if (a.transport === 'invalid') {
    return [{ verdict: 'breaking', rule: 'transport', detail: 'what came is no answer' }];
  }
  const failed = serverError(a);
  return failed === undefined ? [] : [failed];
}

/** A failure of a server is a finding, also where both fail alike. */
function serverError({ status }: RawAnswer): Difference | undefined {
  if (status === null || status < 500 || status === 501 || status === 507) return undefined;
  return { verdict: 'semantic', rule: 'server_error', detail: String(status) };
}

function valuesOf(answer: RawAnswer): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of answer.headers) {
    if (DROPPED.test(name)) continue;
    const known = found.get(name);
    found.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  for (const [name, value] of found) {
    if (SETS.test(name)) found.set(name, value.split(',').map((one) => one.trim().toLowerCase()).sort().join(',')); // prettier-ignore
    // A boundary is drawn for each answer.
    if (name === 'content-type') found.set(name, value.replace(/; ?boundary=.*/, ''));
    if (name === 'etag') found.set(name, value.replaceAll('"', ''));
  }
  return found;
}

/** The headers that differ, by their names. */
function headerDifferences(
  a: RawAnswer,
  b: RawAnswer,
): { readonly name: string; readonly rule: string; readonly detail: string }[] {
  const [one, two] = [valuesOf(a), valuesOf(b)];
  const shown = (value = 'none') => value.slice(0, 100);
  return [...new Set([...one.keys(), ...two.keys()])].sort().flatMap((name) => {
    const values = [one.get(name), two.get(name)] as const;
    if (values[0] === values[1]) return [];
    if (name === 'x-delete-at' && isSoonAfter(...values)) return [];
    // No body, and a body of no bytes.
    if (name === 'content-length' && values.every((value = '0') => value === '0')) return [];
    return { name, rule: `header ${name}`, detail: `${shown(values[0])} and ${shown(values[1])}` };
  });
}

/** Times that are counted from the moment of a request differ by as much as two requests do. */
function isSoonAfter(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(Number(a) - Number(b)) <= 10;
}

/** Whether clients act on a header of these answers. */
function meantOf(a: RawAnswer, b: RawAnswer, method: string): (name: string) => boolean {
  // The type of nothing says nothing; to HEAD it is that of what GET would answer.
  const isEmpty = a.body.length === 0 && b.body.length === 0 && !/^(?:GET|HEAD)$/.test(method);
  // The length of an error's text, or of an XML document, is as long as its words.
  const isText = (a.status ?? 0) >= 400 || isDocument(a);
  return (name) => {
    if ((isEmpty && name === 'content-type') || (isText && name === 'content-length')) return false;
    return MEANT.test(name);
  };
}

function typeOf({ headers }: RawAnswer): string {
  return headers.find(([name]) => name === 'content-type')?.[1] ?? '';
}

function isDocument(answer: RawAnswer): boolean {
  return /json|xml/.test(typeOf(answer));
}

function bodyDifference(a: RawAnswer, b: RawAnswer, dialect: Dialect): Difference[] {
  if ((a.status ?? 0) >= 400) {
    if (dialect === 'swift') return [];
    const [one, two] = [codeOf(a), codeOf(b)];
    if (one === two) return [];
    return [{ verdict: 'semantic', rule: 'error code', detail: `${one} and ${two}` }];
  }
  const one = canonicalBody(a.body, typeOf(a));
  const two = canonicalBody(b.body, typeOf(b));
  if (one === two) return [];
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const from = Math.max(0, at - 20);
  const part = (text: string) => JSON.stringify(text.slice(from, from + 60));
  return [{ verdict: 'semantic', rule: 'body', detail: `${part(one)} and ${part(two)}` }];
}

function codeOf({ body }: RawAnswer): string {
  return /<Code>([^<]*)<\/Code>/.exec(body.toString('latin1'))?.[1] ?? 'no code';
}
