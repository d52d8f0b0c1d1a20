import type { RequestBody } from './exchange.js';

/** The body of every request that has none: nothing to keep, so all share it. */
export const NO_BODY: RequestBody = {
  contentLength: 0,
  bytesReceived: 0,
  collect: () => Promise.resolve(Buffer.alloc(0)),
  [Symbol.asyncIterator]: () => ({
    next: () => Promise.resolve({ done: true, value: undefined }),
  }),
};
