import type { ByteRange, ObjectBody, Segment } from '../backend.js';
import { ignore, type LazyBody } from './body-source.js';
import { corrupt } from './bytes.js';
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
  const stream = new SegmentStream(list, { start, end }, open);
  return {
    length: end - start + 1,
    source: { [Symbol.asyncIterator]: () => stream },
    open: () => stream.openFirst(),
    cancel: () => {
      stream.return().catch(ignore);
    },
  };
}

/** Never rejects, since nobody may be waiting for it yet. */
type ChunkOrError = Buffer | { readonly error: unknown };

/** A segment that is being read. */
interface Piece {
  readonly open: LazyBody['open'];
  readonly chunks: AsyncIterator<Buffer, unknown>;
  remaining: number;
  /** Its first chunk, when that was asked for ahead of the consumer. */
  first: Promise<ChunkOrError> | undefined;
}

class SegmentStream implements AsyncIterator<Buffer, undefined> {
  /** Where the segment behind `#current` and `#ahead` begins to matter. */
  #position: number;
  #current: Piece | undefined;
  #ahead: Piece | undefined;
  /** Why there is nothing ahead, when there should be. */
  #failure: { readonly error: unknown } | undefined;
  /** Calls of next() and return() run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(
    private readonly list: SegmentList,
    private readonly range: ByteRange,
    private readonly open: OpenSegment,
  ) {
    this.#position = range.start;
    this.#current = this.#openNext();
  }

  openFirst(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#current?.open?.();
    });
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      if (this.#ended) return DONE;
      try {
        const chunk = await this.#read();
        if (chunk !== undefined) return { done: false, value: chunk };
      } catch (error) {
        await this.#letGo();
        throw error;
      }
      await this.#letGo();
      return DONE;
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#inTurn(async () => {
      await this.#letGo();
      return DONE;
    });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #read(): Promise<Buffer | undefined> {
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

  /** What fails here is told in its turn: the bytes before it are right. */
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
    const body = this.open(list.get(index), { start, end });
    this.#position = ends;
    return { open: body.open, chunks: chunksOf(body), remaining: body.length, first: undefined };
  }

  async #letGo(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
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

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });
