import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port for who has to be told one. Below the ports that the kernel gives out: another test may be
 * given one between our look and its use.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const free = new Promise<boolean>((resolve) => {
      server.once('listening', () => {
        resolve(true);
      });
      server.once('error', () => {
        resolve(false);
      });
    });
    server.listen(port, '127.0.0.1');
    if (!(await free)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
