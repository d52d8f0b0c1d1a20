import {
  CHUNKED_BODIES,
  FRAMING_LINES,
  METHODS,
  OTHER_LINES,
  TARGETS,
  VERSIONS,
} from './attacks.js';
import type { SeededRandom } from './random.js';
import { chunked, render, SMUGGLED, type WireRequest } from './wire.js';

/** Requests as they should be, to begin with. */
const BASES: readonly ((path: string) => WireRequest)[] = [
  (path) => requestOf('GET', path),
  (path) => requestOf('HEAD', path),
  (path) => requestOf('DELETE', `${path}?versionId=null`),
  (path) => requestOf('PUT', path, [`Content-Length: 5`], 'hello'),
  (path) => requestOf('PUT', path, [`Content-Length: ${SMUGGLED.length}`], SMUGGLED),
  (path) => requestOf('POST', `${path}?delete`, ['Content-Length: 0'], ''),
  (path) => requestOf('PUT', path, ['Transfer-Encoding: chunked'], chunked('hello', SMUGGLED)),
  (path) => requestOf('PUT', path, ['Transfer-Encoding: chunked'], chunked()),
];

function requestOf(method: string, target: string, headers: string[] = [], body = ''): WireRequest {
  return { method, target, version: 'HTTP/1.1', headers: ['Host: a', ...headers], body };
}

type Mutation = (request: WireRequest, random: SeededRandom) => void;

const MUTATIONS: readonly (readonly [weight: number, mutation: Mutation])[] = [
  [
    8,
    (request, random) => {
      insertLine(request, random, FRAMING_LINES);
    },
  ],
  [
    4,
    (request, random) => {
      insertLine(request, random, OTHER_LINES);
    },
  ],
  [2, (request, random) => void (request.target = random.pick(TARGETS))],
  [2, (request, random) => void (request.method = random.pick(METHODS))],
  [2, (request, random) => void (request.version = random.pick(VERSIONS))],
  [6, makeChunked],
  [1, (request, random) => void request.headers.splice(random.integer(request.headers.length), 1)],
  [
    1,
    (request, random) => {
      insertLine(request, random, request.headers);
    },
  ],
  [2, changeLength],
  [1, bombHeaders],
  [1, (request, random) => void (request.target += `?${'q'.repeat(random.integer(5_000))}`)],
  [2, (request) => void (request.body += SMUGGLED)],
];

const WEIGHTS = MUTATIONS.reduce((sum, [weight]) => sum + weight, 0);

function mutate(request: WireRequest, random: SeededRandom): void {
  let left = random.integer(WEIGHTS);
  MUTATIONS.find(([weight]) => (left -= weight) < 0)?.[1](request, random);
}

function insertLine(request: WireRequest, random: SeededRandom, lines: readonly string[]): void {
  if (lines.length === 0) return;
  request.headers.splice(random.integer(request.headers.length + 1), 0, random.pick(lines));
}

function makeChunked(request: WireRequest, random: SeededRandom): void {
  if (random.chance(0.8)) {
    request.headers = request.headers.filter((line) => !/^content-length/i.test(line));
    if (!request.headers.some((line) => /^transfer-encoding/i.test(line))) {
      request.headers.push('Transfer-Encoding: chunked');
    }
  }
  request.body = random.pick(CHUNKED_BODIES);
}

function changeLength(request: WireRequest, random: SeededRandom): void {
  request.headers = request.headers.map((line) =>
    /^content-length/i.test(line) ? `Content-Length: ${random.integer(60)}` : line,
  );
}

function bombHeaders(request: WireRequest, random: SeededRandom): void {
  const [count, length] = random.pick([
    [60, 10],
    [97, 1],
    [98, 1],
    [150, 10],
    [1, 3_000],
    [1, 70_000],
    [20, 5_000],
  ] as const);
  for (let n = 0; n < count; n++) request.headers.push(`x-amz-meta-${n}: ${'v'.repeat(length)}`);
}

const BYTES = ['\r', '\n', '\r\n', '\0', ' ', '\t', ':', ';', '0', '\xff', ',', '\r\n\r\n'];

function damage(text: string, random: SeededRandom): string {
  const at = random.integer(text.length + 1);
  switch (random.integer(4)) {
    case 0:
      return text.slice(0, at) + random.pick(BYTES) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.integer(4));
    case 2:
      return text.slice(0, at) + random.pick(BYTES) + text.slice(at + 1);
    default:
      return text.slice(0, at);
  }
}

/** One to three requests on a connection, of which the last is hostile, as they are written. */
export function hostileCase(random: SeededRandom): string[] {
  const texts: string[] = [];
  for (let n = random.chance(0.2) ? 1 : 0; n > 0; n--) texts.push(render(requestOf('GET', '/ok')));
  const request = random.pick(BASES)(`/case`);
  for (let n = 1 + random.integer(3); n > 0; n--) mutate(request, random);
  let text = render(request);
  if (random.chance(0.3)) text = damage(text, random);
  if (random.chance(0.2)) text += render(requestOf('GET', '/behind'));
  texts.push(...split(text, random));
  return texts.filter((piece) => piece !== '');
}

function split(text: string, random: SeededRandom): string[] {
  if (!random.chance(0.4)) return [text];
  const at = random.integer(text.length);
  return [text.slice(0, at), ...split(text.slice(at), random)];
}
