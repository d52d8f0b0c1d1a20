/** Bounds of the edge: memory, bytes and time that a client may cost. */
export interface EdgeLimits {
  /**
   * Unread body bytes of one request above which its socket is paused. One more chunk, of up to
   * the library's 512 KiB, comes on top.
   */
  readonly requestBufferBytesMax: number;
  /**
   * Unread body bytes of all requests together above which each is paused as soon as it has any:
   * what comes on top is one chunk a connection, which mostly comes with the header block.
   */
  readonly bufferedBytesMax: number;
  /**
   * The kernel's receive buffer of a connection, 256 KiB at most: only then does a paused socket
   * stay unread (receive-buffer.ts). It is also the TCP window, so it bounds one upload over a
   * long way: 5 MB/s at a round trip of 50 ms. 0 leaves the buffer, and the risk, to the kernel.
   */
  readonly receiveBufferBytes: number;
  /**
   * Unread request bytes taken after an early answer; with more to come the connection closes. Many
   * clients read no answer before they have sent all, mostly parts of 5 to 16 MiB: these would wait
   * for the close, and then see a reset instead of the error.
   */
  readonly drainBytesMax: number;
  /** Time that the client gets to read an early answer before the connection closes. */
  readonly drainTimeoutMs: number;
  /** A reader that takes nothing of a response for so long is cut off. */
  readonly responseStallTimeoutMs: number;
  /**
   * Interval of the checks on paused uploads, streamed responses and closing connections. Must be
   * well below the 10 s after which the library closes a connection without progress.
   */
  readonly keepAliveTouchMs: number;
  /** A drain leaves connections without a request open for so long: one may be on its way. */
  readonly idleGraceMs: number;
  /**
   * The same where another process has taken the port over: such a connection is closed with the
   * answer to its next request. Longer than the 12 s after which the library closes idle ones.
   */
  readonly idleHandoverMs: number;
  /** Time for handshakes that were under way when another process took the port over. */
  readonly handshakeGraceMs: number;
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  requestBufferBytesMax: 256 * 1024,
  bufferedBytesMax: Infinity,
  receiveBufferBytes: 256 * 1024,
  drainBytesMax: 16 * 1024 * 1024,
  drainTimeoutMs: 5_000,
  responseStallTimeoutMs: 60_000,
  keepAliveTouchMs: 3_000,
  idleGraceMs: 250,
  idleHandoverMs: 15_000,
  handshakeGraceMs: 1_000,
};
