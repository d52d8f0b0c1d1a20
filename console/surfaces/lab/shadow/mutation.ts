import type { SeededRandom } from '../../../../src/ring/builder/random.js';
import { isInside, type ShadowCase, type ShadowStep } from './case.js';

/** Groups of operators that a run can leave out. */
export const OPERATORS = ['header', 'path', 'query', 'method', 'body', 'length', 'step'] as const;
export type Operator = (typeof OPERATORS)[number];

/** One change of a case, with all that it takes to make it again. */
export interface Mutation {
  readonly op: Operator;
  /** The step that it changes, by its place in the seed. */
  readonly step: number;
  readonly kind: string;
  readonly name?: string;
  readonly value?: string;
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['Range', ['bytes=0-0', 'bytes=-1', 'bytes=5-', 'bytes=9-2', 'bytes=0-99999', 'bytes=a-b', 'bytes=0-1,3-4', 'byte=0-1', '']],
  ['If-Match', ['*', '"x"', 'W/"x"', '']],
  ['If-None-Match', ['*', '"x"', 'x, y', '']],
  ['If-Modified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', '0']],
  ['If-Unmodified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'x']],
  ['X-Delete-At', ['0', '-1', '1', 'abc', '99999999999', '1.5']],
  ['X-Delete-After', ['0', '-1', 'abc', '10']],
  ['ETag', ['x', '"d41d8cd98f00b204e9800998ecf8427e"', '']],
  ['Content-Type', ['', 'text/plain; charset=utf-8', 'a/b;c="d', 'x']],
  ['Content-MD5', ['x', '1B2M2Y8AsgTpgAmY7PhCfg==']],
  ['Accept', ['*/*', 'application/json', 'text/xml;q=0.5, application/json;q=0.1', 'application/x', 'a/b;q=x']],
  ['Accept-Encoding', ['gzip', 'identity;q=0', '']],
  ['Expect', ['100-continue', 'x']],
  ['X-Object-Meta-A', ['', 'b', '\u00ff\u00fe', 'x'.repeat(300)]],
  ['x-amz-meta-a', ['', 'b', '\u00ff']],
  ['x-amz-storage-class', ['STANDARD', 'x', '']],
  ['x-amz-acl', ['private', 'x']],
  ['X-Newest', ['true', 'x']],
]; // prettier-ignore
const LENGTHS = ['-1', 'abc', '0', '1', '+5', '5, 5', '', '99'];
const ENCODINGS = ['chunked', 'gzip', 'identity', 'x, chunked'];
const PATHS = [
  '%00',
  '%FF',
  '%2F',
  '//',
  '/../x',
  '/./',
  '%2e%2e',
  '%zz',
  '+',
  '%20',
  '~',
  '?',
  'x'.repeat(1025),
];
const QUERIES = ['limit=-1', 'limit=10001', 'limit=abc', 'limit=0', 'marker=%00', 'marker=%FF', 'end_marker=a', 'prefix=%C3%A9', 'delimiter=%2F', 'format=json', 'format=x', 'reverse=true', 'x=y', 'max-keys=-1', 'max-keys=abc', 'max-keys=0', 'list-type=3', 'encoding-type=url', 'continuation-token=x', 'versionId=x', 'partNumber=1', 'uploads', 'acl']; // prettier-ignore
const METHODS = ['BOGUS', 'get', 'PATCH', 'OPTIONS', 'HEAD', 'POST', 'DELETE', 'PUT'];

/** Draws a mutation of a case; the same state of `random` draws the same. */
export function drawMutation(
  random: SeededRandom,
  { steps }: ShadowCase,
  operators: readonly Operator[],
): Mutation {
  const pick = <T>(all: readonly T[]): T => all[random.integer(all.length)] as T;
  const op = pick(operators);
  const at = random.integer(steps.length);
  const base = { op, step: at };
  const headers = steps[at]?.headers ?? [];
  switch (op) {
    case 'header': {
      const kind = pick(['set', 'set', 'set', 'drop', 'double', 'case', 'space', 'fold']);
      if (kind === 'set' || headers.length === 0) {
        const [name, values] = pick(HEADERS);
        return { ...base, kind: 'set', name, value: pick(values) };
      }
      return { ...base, kind, name: pick(headers)[0] };
    }
    case 'path':
      return { ...base, kind: 'append', value: pick(PATHS) };
    case 'query':
      return { ...base, kind: 'append', value: pick(QUERIES) };
    case 'method':
      return { ...base, kind: 'set', value: pick(METHODS) };
    case 'body':
      return { ...base, kind: pick(['cut', 'extend', 'empty']) };
    case 'length':
      return random.integer(3) === 0
        ? { ...base, kind: 'encoding', value: pick(ENCODINGS) }
        : { ...base, kind: 'length', value: pick(LENGTHS) };
    case 'step':
      return { ...base, kind: pick(['repeat', 'drop', 'swap']) };
  }
}

/** A case with mutations; those that would lead it out of its container are left out. */
export function mutate(seed: ShadowCase, mutations: readonly Mutation[]): ShadowCase {
  let steps = [...seed.steps];
  for (const mutation of mutations) {
    const changed = mutation.op === 'step' ? reorder(steps, mutation) : change(steps, mutation);
    const fits = changed.length > 0 && changed.length <= 12;
    if (fits && changed.every((one) => isInside(one, seed.dialect))) steps = changed;
  }
  return { ...seed, steps };
}

function reorder(steps: readonly ShadowStep[], { step: at, kind }: Mutation): ShadowStep[] {
  const one = steps[at];
  if (one === undefined) return [...steps];
  if (kind === 'repeat') return [...steps.slice(0, at + 1), one, ...steps.slice(at + 1)];
  if (kind === 'drop') return steps.filter((_, index) => index !== at);
  const next = steps[at + 1];
  if (next === undefined) return [...steps];
  return [...steps.slice(0, at), next, one, ...steps.slice(at + 2)];
}

function change(steps: readonly ShadowStep[], mutation: Mutation): ShadowStep[] {
  return steps.map((one, index) => (index === mutation.step ? changed(one, mutation) : one));
}

function changed(one: ShadowStep, { op, kind, name = '', value = '' }: Mutation): ShadowStep {
  const [path, query] = splitOnce(one.target);
  switch (op) {
    case 'header':
      return { ...one, headers: headersOf(one.headers, kind, name, value) };
    case 'path':
      return { ...one, target: `${path}${value}${query === undefined ? '' : `?${query}`}` };
    case 'query':
      return { ...one, target: `${path}?${[query, value].filter(Boolean).join('&')}` };
    case 'method':
      return { ...one, method: value };
    case 'length': {
      const field = kind === 'length' ? 'Content-Length' : 'Transfer-Encoding';
      return { ...one, headers: headersOf(one.headers, 'set', field, value) };
    }
    case 'body': {
      const body = Buffer.from(one.body_b64, 'base64');
      const cut = kind === 'cut' ? body.subarray(0, body.length >> 1) : Buffer.alloc(0);
      const next = kind === 'extend' ? Buffer.concat([body, Buffer.alloc(100, 'x')]) : cut;
      return { ...one, body_b64: next.toString('base64') };
    }
    default:
      return one;
  }
}

function headersOf(
  headers: ShadowStep['headers'],
  kind: string,
  name: string,
  value: string,
): ShadowStep['headers'] {
  const is = (one: string): boolean => one.toLowerCase() === name.toLowerCase();
  if (kind === 'set') return [...headers.filter(([one]) => !is(one)), [name, value]];
  if (kind === 'drop') return headers.filter(([one]) => !is(one));
  return headers.flatMap(([one, own]): ShadowStep['headers'] => {
    if (!is(one)) return [[one, own]];
    if (kind === 'double') return [[one, own], [one, own]]; // prettier-ignore
    if (kind === 'case') return [[one.toUpperCase(), own]];
    return [[one, kind === 'space' ? `  ${own}  ` : `${own}\r\n  folded`]];
  });
}

function splitOnce(target: string): [string, string | undefined] {
  const at = target.indexOf('?');
  return at === -1 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)];
}
