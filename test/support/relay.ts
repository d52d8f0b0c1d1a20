import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a client and a server on loopback, which can fail. */
export class Relay {
  /** Port of the server; connections are refused while there is none. */
  target = 0;
  /** Both ends of connections, with what the client sent last. */
  readonly #pairs = new Map<Socket, { readonly far: Socket; last: string }>();
  #isCut = false;
  readonly #server = createServer((near) => {
    near.on('error', () => undefined);
    if (this.#isCut || this.target === 0) {
      near.destroy();
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    const pair = { far, last: '' };
    this.#pairs.set(near, pair);
    near.on('data', (bytes: Buffer) => (pair.last = bytes.toString('latin1')));
    near.pipe(far);
    far.pipe(near);
    far.on('error', () => undefined);
    far.once('close', () => near.destroy());
    near.once('close', () => {
      far.destroy();
      this.#pairs.delete(near);
    });
  });

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections, and lets none be made. */
  cut(): void {
    this.#isCut = true;
    for (const near of this.#pairs.keys()) near.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  /**
   * Lets nothing through any more on connections that are there, without a word to either end.
   * @param begin of the latest request on them
   * @returns how many these are
   */
  forget(begin: string): number {
    const dead = [...this.#pairs].filter(([, pair]) => pair.last.startsWith(begin));
    for (const [near, { far }] of dead) {
      near.unpipe(far);
      far.unpipe(near);
      near.resume();
      far.resume();
    }
    return dead.length;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
