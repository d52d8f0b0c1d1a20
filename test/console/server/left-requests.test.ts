import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import fastify from 'fastify';
import { installErrors } from '../../../console/server/app-errors.js';
import type { ConsoleContext } from '../../../console/server/context.js';
import { UpstreamError } from '../../../console/swift/errors.js';

describe('console requests that fail', () => {
  /** The log of a request whose client sends half a body, and then stays or leaves. */
  async function logged(leaves: boolean): Promise<readonly unknown[]> {
    const lines: unknown[] = [];
    const write = (_fields: unknown, text: unknown) => lines.push(text);
    const app = fastify();
    installErrors(app, { logger: { warn: write, error: write } } as unknown as ConsoleContext);
    app.addContentTypeParser('*', (_request, _payload, done) => {
      done(null);
    });
    const answered = new Promise<void>((resolve) => {
      app.addHook('onSend', (_request, _reply, payload, done) => {
        resolve();
        done(null, payload);
      });
    });
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    app.put('/x', async ({ raw }) => {
      raw.on('error', () => undefined);
      begun();
      if (leaves) await once(raw, 'close');
      throw new UpstreamError('unavailable');
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'PUT /x HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: 9\r\n\r\nhalf',
    );
    await hasBegun;
    if (leaves) socket.destroy();
    await answered;
    socket.destroy();
    await app.close();
    return lines;
  }

  it('are in the log where the store failed', async () => {
    expect(await logged(false)).to.deep.equal(['store failed']);
  });

  it('are not where the client has left, as with an upload that is cancelled', async () => {
    expect(await logged(true)).to.deep.equal([]);
  });
});
