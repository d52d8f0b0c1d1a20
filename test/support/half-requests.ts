import { connect } from 'node:net';
import { until } from './until.js';

/**
 * Opens connections and sends half the head of a request on each. Resolves when no more than so many
 * are left of them.
 * @returns ends what is left
 */
export async function sendHalves(port: number, count: number, leftMax: number) {
  let left = count;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => (left -= 1));
    socket.write('GET /healthz HTTP/1.1\r\nHost: ');
    return socket;
  });
  await until(() => left <= leftMax);
  return (): void => {
    for (const socket of sockets) socket.destroy();
  };
}
