import type { Dialect } from './case.js';
import type { RawAnswer } from './raw-request.js';

export const VERDICTS = ['identical', 'cosmetic', 'semantic', 'breaking'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Difference {
  readonly verdict: Verdict;
  /** What was compared: `status`, `header etag`, `body`. */
  readonly rule: string;
  readonly detail: string;
}

const SAME: Difference = { verdict: 'identical', rule: '', detail: '' };

/** Times, ids, tokens, cookies, and what a connection says of itself. */
const DROPPED =
  /^(?:date|server|connection|keep-alive|transfer-encoding|x-trans-id|x-openstack-request-id|last-modified|x-timestamp|x-put-timestamp|x-backend-.*|x-amz-request-id|x-amz-id-2|via|set-cookie|x-auth-token|x-storage-token)$/;
/** Lists whose order says nothing. */
const SETS = /^(?:allow|vary|access-control-.*)$/;
/** Headers that clients act on; others are a matter of looks. */
const MEANT =
  /^(?:etag|content-length|content-type|content-range|content-encoding|accept-ranges|x-delete-at|x-object-meta-.*|x-container-(?!policy).*|x-amz-(?:meta-.*|version-id|delete-marker|storage-class)|location|x-static-large-object|x-object-manifest)$/;

/** Compares two answers of one step, the most important first. */
export function compare(a: RawAnswer, b: RawAnswer, dialect: Dialect): Difference {
  const failed = serverError(a) ?? serverError(b);
  const [one, two] = [a.status ?? a.transport, b.status ?? b.transport];
  if (a.transport !== b.transport) {
    return { verdict: 'breaking', rule: 'transport', detail: `${one} and ${two}` };
  }
  if (a.status !== b.status) {
    const isClass = Math.floor((a.status ?? 0) / 100) !== Math.floor((b.status ?? 0) / 100);
    const detail = `${one} and ${two}`;
    return { verdict: isClass ? 'breaking' : 'semantic', rule: 'status', detail };
  }
  if (failed !== undefined) return failed;
  return compareHeaders(a, b) ?? compareBodies(a, b, dialect) ?? compareLooks(a, b) ?? SAME;
}

/** What one side alone must keep: an answer that is one, and no failure of the server. */
export function judge(a: RawAnswer): Difference {
  if (a.transport === 'timeout') {
    return { verdict: 'semantic', rule: 'timeout', detail: 'no answer in time' };
  }
  if (a.transport === 'invalid') {
    return { verdict: 'breaking', rule: 'transport', detail: 'what came is no answer' };
  }
  return serverError(a) ?? SAME;
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

/** The first header that differs, of those that `fits`. */
function firstDifference(
  a: RawAnswer,
  b: RawAnswer,
  fits: (name: string) => boolean,
): Omit<Difference, 'verdict'> | undefined {
  const [one, two] = [valuesOf(a), valuesOf(b)];
  for (const name of [...new Set([...one.keys(), ...two.keys()])].sort()) {
    if (!fits(name) || one.get(name) === two.get(name)) continue;
    if (name === 'x-delete-at' && isSoonAfter(one.get(name), two.get(name))) continue;
    const shown = (value = 'none') => value.slice(0, 100);
    return {
      rule: `header ${name}`,
      detail: `${shown(one.get(name))} and ${shown(two.get(name))}`,
    };
  }
  return undefined;
}

/** Times that are counted from the moment of a request differ by as much as two requests do. */
function isSoonAfter(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(Number(a) - Number(b)) <= 10;
}

function compareHeaders(a: RawAnswer, b: RawAnswer): Difference | undefined {
  // The length of an error's text, or of an XML document, is as long as its words.
  const isText = (a.status ?? 0) >= 400 || isDocument(a);
  const found = firstDifference(
    a,
    b,
    (name) => MEANT.test(name) && !(isText && name === 'content-length'),
  );
  return found === undefined ? undefined : { verdict: 'semantic', ...found };
}

function compareLooks(a: RawAnswer, b: RawAnswer): Difference | undefined {
  const found = firstDifference(a, b, (name) => !MEANT.test(name));
  return found === undefined ? undefined : { verdict: 'cosmetic', ...found };
}

function isDocument({ headers }: RawAnswer): boolean {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return /json|xml/.test(type);
}

function compareBodies(a: RawAnswer, b: RawAnswer, dialect: Dialect): Difference | undefined {
  if ((a.status ?? 0) >= 400) {
    if (dialect === 'swift') return undefined;
    const [one, two] = [codeOf(a), codeOf(b)];
    if (one === two) return undefined;
    return { verdict: 'semantic', rule: 'error code', detail: `${one} and ${two}` };
  }
  const [one, two] = [canonical(a), canonical(b)];
  if (one === two) return undefined;
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const from = Math.max(0, at - 20);
  const part = (text: string) => JSON.stringify(text.slice(from, from + 60));
  return { verdict: 'semantic', rule: 'body', detail: `${part(one)} and ${part(two)}` };
}

function codeOf({ body }: RawAnswer): string {
  return /<Code>([^<]*)<\/Code>/.exec(body.toString('latin1'))?.[1] ?? 'no code';
}

/** Without times, ids and the blanks between elements. */
function canonical(answer: RawAnswer): string {
  const type = answer.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const [, boundary] = /boundary="?([^";]+)/.exec(type) ?? [];
  const whole = answer.body.toString('latin1');
  const text = boundary === undefined ? whole : whole.replaceAll(boundary, 'boundary');
  if (!isDocument(answer)) return text;
  return text
    .replace(/"last_modified": ?"[^"]*"/g, '')
    .replace(/<(last_modified|LastModified|UploadId|CreationDate|Initiated)>[^<]*<\/\1>/g, '')
    .replace(/>\s+</g, '><')
    .trim();
}
