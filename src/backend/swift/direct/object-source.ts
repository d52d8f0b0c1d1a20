import { leavable } from '../../../lib/cancellation.js';
import { encodeUriComponentAws, encodeUriPath } from '../../../lib/uri.js';
import type { PathHash } from '../../../ring/path-hash.js';
import type { Policy } from '../../../ring/policy.js';
import type { RingSet } from '../../../ring/ring-set.js';
import type { CallContext, ObjectRef } from '../../backend.js';
import type { SwiftResponse } from '../transport.js';
import { NodeWalk, type Source, type WalkOptions } from './node-walk.js';
import type { NodeCall, StorageNodes } from './storage-nodes.js';
import type { ProxyReason } from './way.js';

export interface SourceDeps extends WalkOptions {
  readonly nodes: StorageNodes;
  readonly rings: RingSet;
  readonly hash: PathHash;
}

interface ObjectRequest {
  readonly context: CallContext;
  readonly method: 'GET' | 'HEAD';
  readonly ref: ObjectRef;
  readonly policy: Policy;
  readonly range?: string | undefined;
}

/** An object as one of its servers has it, its body as all of them together have it. */
export class ObjectSource {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  #source: Source;
  #isOver = false;

  private constructor(
    private readonly request: ObjectRequest,
    private readonly walk: NodeWalk,
    private readonly nodes: StorageNodes,
    source: Source,
  ) {
    this.#source = source;
    this.status = source.answer.status;
    this.headers = source.answer.headers;
  }

  /** @throws the abort reason of the context */
  static async find(
    { nodes, rings, hash, ...options }: SourceDeps,
    request: ObjectRequest,
  ): Promise<ObjectSource | ProxyReason> {
    const { account, container, object } = request.ref;
    const ring = rings.ring(request.policy.ringName);
    if (ring === undefined) return 'policy_unknown';
    const partition = ring.partition(hash.hex(account, container, object));
    const walk = new NodeWalk(nodes, ring, partition, options);
    const source = await walk.find(callOf(request, request.range));
    if (typeof source === 'string') return source;
    return new ObjectSource(request, walk, nodes, source);
  }

  cancel(): void {
    this.#isOver = true;
    this.#source.answer.cancel();
  }

  /** The answer with other headers. */
  answer(headers: ReadonlyMap<string, string>): SwiftResponse {
    const { answer } = this.#source;
    const isContent = this.request.method === 'GET' && this.status !== 416;
    const cancel = (): void => {
      this.cancel();
    };
    return {
      status: this.status,
      headers,
      body: isContent ? leavable(this.#body(), cancel) : answer.body,
      text: (bytesMax) => answer.text(bytesMax),
      whole: (bytesMax) => answer.whole(bytesMax),
      cancel,
    };
  }

  /** When it breaks off, it goes on with the next byte of another server that has the same. */
  async *#body(): AsyncGenerator<Buffer, undefined> {
    const expected = Number(this.headers.get('content-length') ?? NaN);
    let sent = 0;
    for (;;) {
      try {
        for await (const chunk of this.#source.answer.body) {
          sent += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (this.#isOver || this.request.context.cancellation?.aborted === true) throw error;
        this.nodes.failed(this.#source.device, 'cut');
        if (!(sent < expected) || !(await this.#goOn(sent, expected))) throw error;
      }
    }
  }

  async #goOn(sent: number, expected: number): Promise<boolean> {
    const start = firstByte(this.headers) + sent;
    const end = firstByte(this.headers) + expected - 1;
    const etag = this.headers.get('etag') ?? '';
    const time = this.headers.get('x-backend-data-timestamp');
    const call = callOf(this.request, `bytes=${start}-${end}`, etag);
    const next = await this.walk.find(
      call,
      ({ status, headers }) =>
        status === 206 &&
        headers.get('etag') === etag &&
        headers.get('x-backend-data-timestamp') === time &&
        firstByte(headers) === start &&
        Number(headers.get('content-length')) === expected - sent,
    );
    if (typeof next === 'string') return false;
    this.#source = next;
    // Given up while it was looked for.
    if (this.#isOver) next.answer.cancel();
    return !this.#isOver;
  }
}

/** The position in the object at which an answer's body begins. */
function firstByte(headers: ReadonlyMap<string, string>): number {
  const [, first] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? [];
  return Number(first ?? 0);
}

function callOf(
  { context, method, ref, policy }: ObjectRequest,
  range?: string,
  ifMatch?: string,
): Omit<NodeCall, 'partition'> {
  const headers = ['x-backend-storage-policy-index', String(policy.index)];
  // A manifest is read whole, whatever part of the large object is wanted.
  headers.push('x-backend-ignore-range-if-metadata-present', 'X-Static-Large-Object');
  if (range !== undefined) headers.push('range', range);
  if (ifMatch !== undefined) headers.push('if-match', ifMatch);
  return { context, method, path: pathOf(ref), headers };
}

/** As storage servers have it, behind device and partition. */
export function pathOf({
  account,
  container,
  object,
}: {
  readonly account: string;
  readonly container: string;
  readonly object?: string | undefined;
}): string {
  const path = `/${encodeUriComponentAws(account)}/${encodeUriComponentAws(container)}`;
  return object === undefined ? path : `${path}/${encodeUriPath(object)}`;
}
