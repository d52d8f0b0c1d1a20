import { setSocketOption } from './socket-option.js';

/**
 * Hands a port over from the listen sockets of one generation of processes to those of the next, so
 * that no connection is lost between the two.
 *
 * To close a listen socket resets what waits in its queue: connections whose handshake is over, or
 * under way, and that no process has accepted yet. With SO_REUSEPORT the kernel goes on to give
 * each socket its share until the very moment of the close, so under load there is always something
 * in the queue. (`net.ipv4.tcp_migrate_req` would move it on, but is off unless root sets it;
 * HAProxy and nginx hand the sockets themselves to the next process, which this library cannot
 * take.) So, in this order:
 *
 * 1. `separate`: the old sockets give SO_REUSEPORT up. A socket that listens from now on does not
 * join their group but makes another; it may still listen because of how the port was bound at
 * first.
 * 2. The next generation listens. New connections are its own at once, or, where the kernel looks
 * at older sockets first (IPv6), with the next step.
 * 3. `retire`: the old sockets are bound to an interface that does not exist, and get nothing any
 * more. They still take the connections that they have, handshakes under way included.
 * 4. A while later they are closed, empty.
 */
export class Handover {
  /** @param descriptor - of the listen socket; undefined where the system does not tell it */
  constructor(private readonly descriptor: number | undefined) {}

  /** @returns whether connections are safe; otherwise some may be reset when the socket is closed */
  async separate(): Promise<boolean> {
    if (this.descriptor === undefined) return false;
    return setSocketOption(this.descriptor, 'reusePort', 0);
  }

  /** Undoes `separate` when no other process took the port over. */
  async rejoin(): Promise<void> {
    if (this.descriptor !== undefined) await setSocketOption(this.descriptor, 'reusePort', 1);
  }

  /** Stops this socket from accepting, for good. Call it only when another process listens. */
  async retire(): Promise<void> {
    if (this.descriptor === undefined) return;
    await setSocketOption(this.descriptor, 'bindToInterface', NO_INTERFACE);
  }
}

/** The kernel counts up from 1. */
const NO_INTERFACE = 2 ** 31 - 1;
