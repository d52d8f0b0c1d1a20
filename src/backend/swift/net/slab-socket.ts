import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { buildConnector, errors } from 'undici';
import type { ReadSlabs } from '../../../lib/buffers/read-slabs.js';

/** What a connection has for itself: the head and the body of a small answer fit in. */
const OWN_BYTES = 16 * 1024;

/**
 * A connection that reads into memory of its own, and into a slab while there is much to read.
 *
 * For its user, undici's parser, it is a stream in paused mode, of which it uses the event
 * `readable`, `read()` and `unshift()`. The parser keeps the bytes of a head until it has all of
 * it, so these are copies. The parser says that a body's reader has paused it by not calling
 * `read()` again. From then on, until the next request is written, `read()` returns bytes in the
 * connection's memory, valid until the next `read()`: the socket reads nothing in between.
 */
export function connectSlabSocket(options: TcpNetConnectOpts, slabs: ReadSlabs): Socket {
  const reader = new SlabReader(slabs);
  const socket = connect({
    ...options,
    onread: { buffer: reader.nextMemory, callback: reader.onBytes },
  });
  reader.attach(socket);
  return socket;
}

class SlabReader {
  readonly #own = Buffer.allocUnsafeSlow(OWN_BYTES);
  #slab: Buffer | undefined;
  /** Read from the kernel, and not yet by the user. */
  #unread: Buffer | undefined;
  /** The user has asked for more than there was: it is done with all that it was given. */
  #isWanted = true;
  #hadMuch = false;
  #isInBody = false;
  #socket: Socket | undefined;

  constructor(private readonly slabs: ReadSlabs) {}

  attach(socket: Socket): void {
    this.#socket = socket;
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
    socket.read = (size?: number): Buffer | null => {
      // The stream's own look for something to do: it must not begin to read before it is wanted.
      if (size === 0) return this.#isWanted ? read(0) : null;
      const unread = this.#unread;
      this.#unread = undefined;
      if (unread !== undefined) return unread;
      this.#isWanted = true;
      return read(size);
    };
    socket.unshift = (rest: Buffer): void => {
      if (rest.length > 0) this.#unread = rest;
    };
    const write = socket.write.bind(socket);
    socket.write = ((...given: Parameters<Socket['write']>): boolean => {
      this.#isInBody = false;
      return write(...given);
    }) as Socket['write'];
    socket.once('close', () => {
      if (this.#slab === undefined) return;
      if (this.#isWanted) this.slabs.give(this.#slab);
      else this.slabs.lose();
    });
  }

  /** The memory for the next bytes; called after the bytes before were read. */
  readonly nextMemory = (): Buffer => {
    if (this.#hadMuch) {
      this.#slab ??= this.slabs.take();
    } else if (this.#slab !== undefined && this.#isWanted) {
      // The bytes in the slab have no reader any more.
      this.slabs.give(this.#slab);
      this.#slab = undefined;
    }
    return this.#memory;
  };

  /** @returns whether to read on */
  readonly onBytes = (count: number): boolean => {
    const bytes = this.#memory.subarray(0, count);
    this.#hadMuch = count >= OWN_BYTES;
    const isWanted = this.#show(this.#isInBody ? bytes : Buffer.from(bytes));
    if (!isWanted) this.#isInBody = true;
    return isWanted;
  };

  /** @returns whether the user read it all, and asked for more */
  #show(bytes: Buffer): boolean {
    this.#isWanted = false;
    this.#unread = bytes;
    this.#socket?.emit('readable');
    return this.#isAsked;
  }

  get #isAsked(): boolean {
    return this.#isWanted;
  }

  get #memory(): Buffer {
    return this.#slab ?? this.#own;
  }
}

/** undici's, after which a server that is gone without a word is noticed. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * How undici's connections to an endpoint are made: over plain TCP by a socket whose bytes are not
 * allocated anew with each read, over TLS by undici's own.
 */
export function slabConnector(slabs: ReadSlabs, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs });
  return (options, callback) => {
    if (options.protocol === 'https:') secure(options, callback);
    else connectPlain(options, callback, slabs, timeoutMs);
  };
}

function connectPlain(
  { hostname, port }: buildConnector.Options,
  callback: buildConnector.Callback,
  slabs: ReadSlabs,
  timeoutMs: number,
): void {
  const socket = connectSlabSocket({ host: hostname, port: Number(port || 80) }, slabs);
  const timer = setTimeout(() => {
    socket.destroy(new errors.ConnectTimeoutError(`no connection within ${timeoutMs} ms`));
  }, timeoutMs);
  const onError = (error: Error): void => {
    clearTimeout(timer);
    callback(error, null);
  };
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  socket.once('error', onError);
  socket.once('connect', () => {
    clearTimeout(timer);
    // From now on undici handles these events.
    socket.removeListener('error', onError);
    callback(null, socket);
  });
}
