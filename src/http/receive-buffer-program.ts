/**
 * Sets the receive buffer of the socket that it inherits as descriptor 3 to the bytes in its
 * argument, prints what the kernel made of it, and exits 0 if that worked. See receive-buffer.ts.
 *
 * Node has the system call for UDP sockets only, and checks the kind of a descriptor in
 * JavaScript: its binding does not. It runs in a process of its own because closing the handle
 * closes the descriptor.
 */

interface UdpHandle {
  /** @returns 0 or a negative error */
  open(descriptor: number): number;
  /** Sets the buffer, or tells it when `bytes` is 0. */
  bufferSize(bytes: number, receive: boolean, failure: object): number | undefined;
}

interface InternalBindings {
  binding(name: 'udp_wrap'): { readonly UDP: new () => UdpHandle };
}

const LISTEN_SOCKET = 3;
const RECEIVE = true;

const { UDP } = (process as unknown as InternalBindings).binding('udp_wrap');
const handle = new UDP();
const isOpen = handle.open(LISTEN_SOCKET) === 0;
const isSet = isOpen && handle.bufferSize(Number(process.argv[2]), RECEIVE, {}) !== undefined;
const now = isSet ? handle.bufferSize(0, RECEIVE, {}) : undefined;
if (now === undefined) process.exitCode = 1;
else process.stdout.write(String(now));
