import type { Backend, ObjectRef } from '../../../../src/backend/backend.js';
import { openSwiftBackend, type SwiftBackendOptions } from '../../../../src/backend/swift/index.js';
import type { SwiftInfo, SwiftRequest } from '../../../../src/backend/swift/transport.js';
import { INFO, type ScriptedAnswer, ScriptedTransport } from './scripted-transport.js';

export const CONTEXT = { requestId: 'scripted' };
export const REF: ObjectRef = { account: 'AUTH_a', container: 'c', object: 'o' };
export const TIME = '1795160050.29176';
export const TIME_MS = 1_795_160_050_291;

/** `METHOD container/object?query`, or of the container. */
export function nameOf({ method, container = '', object, query }: SwiftRequest): string {
  const path = object === undefined ? container : `${container}/${object}`;
  return `${method} ${path}${query === undefined ? '' : `?${query}`}`;
}

/** Answers by the name of a request, one after the other, the last one again and again. */
export type Answers = Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>;

export interface Scripted {
  readonly backend: Backend;
  /** The requests that were made of objects. */
  readonly requests: readonly SwiftRequest[];
  readonly names: () => string[];
}

/** A backend over a cluster that answers what the test says, and 404 to all else. */
export async function scripted(
  answers: Answers,
  info: Partial<SwiftInfo> = {},
  options: Pick<SwiftBackendOptions, 'segmentsAreSwept'> = {},
): Promise<Scripted> {
  const left = new Map<string, ScriptedAnswer[]>(
    Object.entries(answers).map(([name, answer]) => [name, [answer].flat()]),
  );
  const requests: SwiftRequest[] = [];
  const transport = new ScriptedTransport(async (request) => {
    if (request.object !== undefined) requests.push(request);
    if (request.body !== undefined && !Buffer.isBuffer(request.body)) {
      for await (const chunk of request.body.source) if (chunk.length === 0) break;
    }
    const queue = left.get(nameOf(request));
    return (queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0]) ?? MISSING;
  });
  transport.info = () => Promise.resolve({ ...INFO, ...info });
  const backend = await openSwiftBackend({ transport, containerCacheMs: 60_000, ...options });
  return { backend, requests, names: () => requests.map(nameOf) };
}

const MISSING: ScriptedAnswer = { status: 404 };

/** A container that is there. */
export const CONTAINER: ScriptedAnswer = {
  status: 204,
  headers: { 'x-timestamp': TIME, 'x-container-object-count': '0', 'x-container-bytes-used': '0' },
};

export function created(etag: string, headers: Readonly<Record<string, string>> = {}) {
  return { status: 201, headers: { etag, 'x-gateway-data-timestamp': TIME, ...headers } };
}

/** HEAD of an object. */
export function found(headers: Readonly<Record<string, string>> = {}): ScriptedAnswer {
  const said = {
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    'content-length': '0',
    'content-type': 'text/plain',
    'x-timestamp': TIME,
    'x-gateway-data-timestamp': TIME,
  };
  return { status: 200, headers: { ...said, ...headers } };
}

/** The document that a request sends. */
export function documentOf({ body }: SwiftRequest): unknown {
  if (!Buffer.isBuffer(body)) throw new Error('it has no whole body');
  return JSON.parse(body.toString());
}
