import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimitsOptions {
  readonly max: number;
  /** The limit for one client. */
  readonly perClientMax: number;
  /** The client that an address is; undefined for one to which only `max` applies. */
  readonly clientOf: (address: string) => string | undefined;
}

/** Connections of one client, or of all. */
class Group {
  /** Those without a request under way: the one that has been so for longest is the first. */
  readonly #waiting = new Set<Socket>();
  readonly #all = new Set<Socket>();

  get size(): number {
    return this.#all.size;
  }

  add(socket: Socket): void {
    this.#all.add(socket);
  }

  delete(socket: Socket): void {
    this.#all.delete(socket);
    this.#waiting.delete(socket);
  }

  setWaiting(socket: Socket, isWaiting: boolean): void {
    if (!isWaiting) this.#waiting.delete(socket);
    else if (this.#all.has(socket)) this.#waiting.add(socket);
  }

  /** Ends the one that waits for longest; the newest where none does. */
  makeRoom(newest: Socket): void {
    const [longest = newest] = this.#waiting;
    this.delete(longest);
    longest.destroy();
  }
}

/** A connection, and all groups that it counts in. */
interface Counted {
  readonly socket: Socket;
  readonly groups: readonly Group[];
}

/**
 * Bounds the connections of an HTTP server: of each client, and in all. One too many takes the place of
 * the one that has had no request for longest. So a client that sends its request at once is served,
 * however many connections others open and send half a request on.
 */
export class ConnectionLimits {
  readonly #all = new Group();
  readonly #clients = new Map<string, Group>();
  readonly #counted = new Map<string, Counted>();

  constructor(private readonly options: ConnectionLimitsOptions) {}

  get count(): number {
    return this.#all.size;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#opened(socket);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      // With TLS it is another object than that of the connection, of the same peer.
      const counted = this.#counted.get(peerOf(socket));
      setWaiting(counted, false);
      response.once('close', () => {
        setWaiting(counted, true);
      });
    });
  }

  #opened(socket: Socket): void {
    const { max, perClientMax, clientOf } = this.options;
    const peer = peerOf(socket);
    const name = clientOf(socket.remoteAddress ?? '');
    const own = name === undefined ? undefined : (this.#clients.get(name) ?? new Group());
    if (name !== undefined && own !== undefined) this.#clients.set(name, own);
    const groups = own === undefined ? [this.#all] : [own, this.#all];
    for (const group of groups) group.add(socket);
    const counted = { socket, groups };
    this.#counted.set(peer, counted);
    socket.once('close', () => {
      for (const group of groups) group.delete(socket);
      if (this.#counted.get(peer) === counted) this.#counted.delete(peer);
      if (name !== undefined && own?.size === 0) this.#clients.delete(name);
    });
    if (own !== undefined && own.size > perClientMax) own.makeRoom(socket);
    if (this.#all.size > max) this.#all.makeRoom(socket);
    setWaiting(counted, true);
  }
}

function setWaiting(counted: Counted | undefined, isWaiting: boolean): void {
  if (counted === undefined || counted.socket.destroyed) return;
  for (const group of counted.groups) group.setWaiting(counted.socket, isWaiting);
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
