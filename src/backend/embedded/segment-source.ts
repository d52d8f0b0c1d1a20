import type { ByteRange, ObjectBody, Segment } from '../backend.js';
import { corrupt } from './bytes.js';
import { DONE, LazyStream, streamBody, type LazyBody } from './lazy-body.js';
import type { SegmentList } from './segment-list.js';

/**
 * Finds a segment as it is now and gives a part of its body.
 * @throws BackendError when it is gone, or is not what the list says
 */
export type OpenSegment = (segment: Segment, range: ByteRange) => LazyBody;

/**
 * A part of a large object as a stream through the bodies of its segments. The first one is looked
 * up here and now, so that most of what can be wrong is known before the first byte is given; each
 * other one when the last chunk of the one before it is given, and its first chunk is then read
 * while the consumer works. So a stream holds three chunks and two files at most, however many
 * segments there are. Empty segments are passed over.
 * @throws as `open`
 */
export function segmentsBody(
  list: SegmentList,
  { start, end }: ByteRange,
  open: OpenSegment,
): LazyBody {
  return streamBody(end - start + 1, new SegmentStream(list, { start, end }, open));
}

/** A promise of this type never rejects: it may have no reader yet. */
type ChunkOrError = Buffer | { readonly error: unknown };

/** A segment that is being read. */
interface Piece {
  readonly open: LazyBody['open'];
  readonly chunks: AsyncIterator<Buffer, unknown>;
  remaining: number;
  /** Its first chunk, when that was asked for ahead of the consumer. */
  first: Promise<ChunkOrError> | undefined;
}

class SegmentStream extends LazyStream {
  /** The position in the large object where the segment behind `#current` and `#ahead` begins. */
  #position: number;
  #current: Piece | undefined;
  #ahead: Piece | undefined;
  /** Why there is nothing ahead, when there should be. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly list: SegmentList,
    private readonly range: ByteRange,
    private readonly openSegment: OpenSegment,
  ) {
    super();
    this.#position = range.start;
    this.#current = this.#openNext();
  }

  protected override async openFirst(): Promise<void> {
    await this.#current?.open?.();
  }

  protected override async read(): Promise<Buffer | undefined> {
    if (this.#current?.remaining === 0) await this.#turnToNext();
    const piece = this.#current;
    if (piece === undefined) return undefined;
    const chunk = await (piece.first ?? readChunk(piece));
    piece.first = undefined;
    if (!Buffer.isBuffer(chunk)) throw chunk.error;
    piece.remaining -= chunk.length;
    if (piece.remaining === 0) this.#lookAhead();
    return chunk;
  }

  async #turnToNext(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#current?.chunks.return?.();
    this.#current = this.#ahead;
    this.#ahead = undefined;
  }

  /** A failure here is told in its turn: the bytes before it are right. */
  #lookAhead(): void {
    try {
      this.#ahead = this.#openNext();
      if (this.#ahead !== undefined) this.#ahead.first = readChunk(this.#ahead);
    } catch (error) {
      this.#failure = { error };
    }
  }

  #openNext(): Piece | undefined {
    const { list, range } = this;
    if (this.#position > range.end) return undefined;
    const index = list.indexAt(this.#position);
    if (index === list.count) throw corrupt('a list of segments is shorter than its object');
    const [begins, ends] = [list.startOf(index), list.endOf(index)];
    const start = this.#position - begins;
    if (start < 0) throw corrupt('a list of segments is out of order');
    const end = Math.min(range.end, ends - 1) - begins;
    const body = this.openSegment(list.get(index), { start, end });
    this.#position = ends;
    return { open: body.open, chunks: chunksOf(body), remaining: body.length, first: undefined };
  }

  protected override async letGo(): Promise<void> {
    await this.#current?.chunks.return?.();
    await this.#ahead?.chunks.return?.();
    this.#current = this.#ahead = undefined;
  }
}

async function readChunk({ chunks }: Piece): Promise<ChunkOrError> {
  try {
    const result = await chunks.next();
    if (result.done !== true) return result.value;
    return { error: corrupt('the body of a segment ends early') };
  } catch (error) {
    return { error };
  }
}

function chunksOf({ source }: ObjectBody): AsyncIterator<Buffer, unknown> {
  if (!Buffer.isBuffer(source)) return source[Symbol.asyncIterator]();
  let given = false;
  return {
    next: () => {
      const result = given ? DONE : ({ done: false, value: source } as const);
      given = true;
      return Promise.resolve(result);
    },
  };
}
