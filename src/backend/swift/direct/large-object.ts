import { leavable } from '../../../lib/cancellation.js';
import type { CallContext, ObjectRef } from '../../backend.js';
import { BackendError } from '../../errors.js';
import { resolveRange } from '../../ranges.js';
import type { StoredSegment } from '../manifests.js';
import { unquoted } from '../stored-object.js';
import type { SwiftRequest, SwiftResponse } from '../transport.js';
import { parseJson } from '../../../lib/parse-json.js';

/**
 * Static large objects, put together here as the proxies' slo filter does (swift/common/middleware/
 * slo.py). All but the plain case, segments that are whole objects, is left to that filter.
 */

type Headers = ReadonlyMap<string, string>;

interface Segment {
  readonly ref: ObjectRef;
  readonly size: number;
  readonly etag: string;
}

/** Bytes of a segment that are wanted; both ends are included. */
interface Piece {
  readonly segment: Segment;
  readonly first: number;
  readonly last: number;
}

/** A longer manifest takes more of the event loop than a listener has to spare. */
export const MANIFEST_BYTES_MAX = 64 * 1024;

/** Size and ETag of the whole in the manifest's own metadata; undefined where it has none. */
function wholeOf(headers: Headers): { readonly size: number; readonly etag: string } | undefined {
  const size = Number(headers.get('x-object-sysmeta-slo-size') ?? NaN);
  const etag = headers.get('x-object-sysmeta-slo-etag');
  return Number.isSafeInteger(size) && etag !== undefined ? { size, etag } : undefined;
}

/**
 * The headers of an answer to a HEAD.
 * @param to of the manifest, under the gateway's names; changed
 */
export function describeWhole(manifest: Headers, to: Map<string, string>): boolean {
  const whole = wholeOf(manifest);
  if (whole === undefined) return false;
  to.set('content-length', String(whole.size));
  to.set('x-manifest-etag', unquoted(manifest.get('etag') ?? ''));
  to.set('etag', `"${whole.etag}"`);
  return true;
}

/** @returns undefined for a manifest with anything but whole objects, or another size */
export function readSegments(account: string, text: string, headers: Headers) {
  const stored = parsed(text);
  const segments: Segment[] = [];
  let size = 0;
  for (const entry of stored ?? []) {
    const { name, bytes, hash, range, sub_slo, data } = entry;
    const [, container, object] = /^\/?([^/]+)\/(.+)$/s.exec(name ?? '') ?? [];
    if (container === undefined || object === undefined || hash === undefined) return undefined;
    if (range !== undefined || sub_slo === true || data !== undefined) return undefined;
    if (bytes === undefined || !(bytes > 0)) return undefined;
    segments.push({ ref: { account, container, object }, size: bytes, etag: hash });
    size += bytes;
  }
  return size > 0 && size === wholeOf(headers)?.size ? segments : undefined;
}

function parsed(text: string): readonly StoredSegment[] | undefined {
  const manifest = parseJson(text);
  return Array.isArray(manifest) ? (manifest as readonly StoredSegment[]) : undefined;
}

export interface LargeRead {
  readonly context: CallContext;
  readonly segments: readonly Segment[];
  /** The request's header. */
  readonly range: string | undefined;
  /** By whichever way. */
  readonly read: (request: SwiftRequest) => Promise<SwiftResponse>;
}

/**
 * The answer to a GET, when its first segment is there.
 * @param headers of a HEAD; changed
 * @returns undefined when a proxy has to say what is wrong
 * @throws what `read` throws
 */
export async function openLarge(
  { context, segments, range, read }: LargeRead,
  headers: Map<string, string>,
): Promise<SwiftResponse | undefined> {
  const size = segments.reduce((sum, segment) => sum + segment.size, 0);
  const wanted = range === undefined ? { start: 0, end: size - 1 } : wantedOf(range, size);
  if (wanted === undefined) return undefined;
  const pieces = piecesOf(segments, wanted.start, wanted.end);
  const body = new SegmentReader(pieces, (piece) => openPiece(context, piece, read));
  if (!(await body.begin())) return undefined;
  if (range !== undefined) {
    headers.set('content-length', String(wanted.end - wanted.start + 1));
    headers.set('content-range', `bytes ${wanted.start}-${wanted.end}/${size}`);
  }
  const notText = (): Promise<never> =>
    Promise.reject(new BackendError('Corrupt', 'a large object is read as a stream'));
  const cancel = (): void => {
    body.cancel();
  };
  return {
    status: range === undefined ? 200 : 206,
    headers,
    body: leavable(body.chunks(), cancel),
    text: notText,
    whole: notText,
    cancel,
  };
}

function wantedOf(header: string, size: number) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const spec =
    first === ''
      ? { suffix: Number(last) }
      : { first: Number(first), ...(last !== '' && { last: Number(last) }) };
  const range = resolveRange(spec, size);
  return range === 'unsatisfiable' ? undefined : range;
}

function piecesOf(segments: readonly Segment[], start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const segment of segments) {
    const first = Math.max(start - at, 0);
    const last = Math.min(end - at, segment.size - 1);
    if (first <= last) pieces.push({ segment, first, last });
    at += segment.size;
  }
  return pieces;
}

/** @returns undefined when the segment is not the one that the manifest names */
async function openPiece(
  context: CallContext,
  { segment: { ref, size, etag }, first, last }: Piece,
  read: LargeRead['read'],
): Promise<SwiftResponse | undefined> {
  const isWhole = first === 0 && last === size - 1;
  const range = isWhole ? {} : { range: `bytes=${first}-${last}` };
  const response = await read({ context, method: 'GET', ...ref, headers: range });
  const { status, headers } = response;
  const isRight =
    status === (isWhole ? 200 : 206) &&
    unquoted(headers.get('etag') ?? '') === etag &&
    Number(headers.get('content-length')) === last - first + 1;
  if (isRight) return response;
  response.cancel();
  return undefined;
}

/**
 * The next segment is asked for when this much is left of one. A storage server ends a connection
 * from which nothing is read for a minute (its `client_timeout`), and a slow reader may need longer
 * for a whole segment.
 */
const LOOK_AHEAD_BYTES = 4 * 1024 * 1024;

/** Segments one after the other; the next one is asked for before the end of one. */
class SegmentReader {
  #current: SwiftResponse | undefined;
  /** Bytes of it that were not read yet. */
  #left = 0;
  #next: Promise<SwiftResponse | undefined> | undefined;
  #index = 0;
  #isOver = false;

  constructor(
    private readonly pieces: readonly Piece[],
    private readonly open: (piece: Piece) => Promise<SwiftResponse | undefined>,
  ) {}

  /** @returns whether the first segment is as it should be */
  async begin(): Promise<boolean> {
    this.#lookAhead();
    return this.#advance();
  }

  async *chunks(): AsyncGenerator<Buffer, undefined> {
    try {
      for (;;) {
        if (this.#current === undefined) return;
        for await (const chunk of this.#current.body) {
          this.#left -= chunk.length;
          this.#lookAhead();
          yield chunk;
        }
        if (this.#next === undefined) return;
        if (!(await this.#advance())) {
          throw new BackendError('Unavailable', 'a segment is missing or was replaced');
        }
      }
    } finally {
      this.cancel();
    }
  }

  cancel(): void {
    this.#isOver = true;
    this.#current?.cancel();
    this.#current = undefined;
    this.#next?.then(
      (response) => response?.cancel(),
      () => undefined,
    );
    this.#next = undefined;
  }

  async #advance(): Promise<boolean> {
    const next = this.#next;
    this.#next = undefined;
    const response = await next;
    if (response === undefined) return false;
    if (this.#isOver) {
      response.cancel();
      return false;
    }
    this.#current = response;
    const piece = this.pieces[this.#index - 1];
    this.#left = piece === undefined ? 0 : piece.last - piece.first + 1;
    this.#lookAhead();
    return true;
  }

  #lookAhead(): void {
    if (this.#isOver || this.#next !== undefined || this.#left > LOOK_AHEAD_BYTES) return;
    const piece = this.pieces[this.#index];
    if (piece === undefined) return;
    this.#index += 1;
    this.#next = this.open(piece);
    // It is told of when it is its turn.
    this.#next.catch(() => undefined);
  }
}
