/**
 * A stream of bytes. A chunk is valid only until the next one is asked for, so that a source may
 * reuse its buffer: who keeps a chunk longer copies it. Leaving a `for await` early (`return()`)
 * lets go of whatever the source holds.
 */
export type ByteSource = AsyncIterable<Buffer>;
