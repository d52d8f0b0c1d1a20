import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http, { type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { ConnectionLimits, type ConnectionLimitsOptions } from '../../src/lib/connection-limits.js';
import { makeCertificate } from '../support/certificate.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';

const HALF = 'GET / HTTP/1.1\r\nHost: x\r\nX-Never-Ends: ';
const WHOLE = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A connection to the server, and what became of it. */
interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

for (const scheme of ['http', 'https'] as const) {
  describe(`limits of connections: ${scheme}`, () => {
    let server: Server;
    let limits: ConnectionLimits;
    let clients: Client[];
    let answer: RequestListener;
    let tls: https.ServerOptions = {};

    before(async () => {
      if (scheme === 'http') return;
      const folder = await makeTempFolder('connections');
      const { certFile, keyFile } = await makeCertificate(folder, 'connections');
      tls = { cert: await readFile(certFile), key: await readFile(keyFile) };
      await removeFolder(folder);
    });

    const start = async (options: Partial<ConnectionLimitsOptions>): Promise<void> => {
      clients = [];
      answer = (_, response) => response.end('served');
      const listener: RequestListener = (request, response) => {
        answer(request, response);
      };
      server = scheme === 'http' ? http.createServer(listener) : https.createServer(tls, listener);
      limits = new ConnectionLimits({
        ...{ max: 100, perClientMax: 100, clientOf: (address) => address },
        ...options,
      });
      limits.watch(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    };

    afterEach(async () => {
      for (const { socket } of clients) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });

    const open = async (sent: string): Promise<Client> => {
      const { port } = server.address() as AddressInfo;
      const to = { port, host: '127.0.0.1' };
      const socket =
        scheme === 'http' ? connect(to) : connectTls({ ...to, rejectUnauthorized: false });
      const client: Client = { socket, text: '', isClosed: false };
      clients.push(client);
      socket.on('error', () => undefined).on('close', () => (client.isClosed = true));
      socket.on('data', (bytes: Buffer) => (client.text += String(bytes)));
      const connected = once(socket, scheme === 'http' ? 'connect' : 'secureConnect');
      // One that is refused fails, or ends.
      await connected.catch(() => undefined);
      socket.write(sent);
      return client;
    };

    const isServed = ({ text }: Client): boolean => text.includes('served');

    for (const [name, options] of [
      ['of one client', { perClientMax: 3 }],
      ['in all', { max: 3 }],
      ['in all, of a proxy', { max: 3, perClientMax: 1, clientOf: () => undefined }],
    ] as const) {
      it(`${name}: a whole request is served, however many halves there are`, async () => {
        await start(options);
        const halves: Client[] = [];
        for (let i = 0; i < 6; i++) halves.push(await open(HALF));
        await until(() => halves.filter(({ isClosed }) => isClosed).length === 3);
        expect(halves.map(({ isClosed }) => isClosed)).to.deep.equal(halves.map((_, at) => at < 3));
        const whole = await open(WHOLE);
        await until(() => isServed(whole));
        expect(limits.count).to.equal(3);
      });
    }

    it('a request under way keeps its connection, and one too many is refused', async () => {
      await start({ perClientMax: 2 });
      const held: (() => void)[] = [];
      answer = (_, response) => held.push(() => response.end('served'));
      const busy = [await open(WHOLE), await open(WHOLE)];
      await until(() => held.length === 2);
      const late = await open(WHOLE);
      await until(() => late.isClosed);
      expect(late.text).to.equal('');
      for (const release of held) release();
      await until(() => busy.every(isServed));
      // From now on they wait, and make room.
      answer = (_, response) => response.end('served');
      const next = await open(WHOLE);
      await until(() => isServed(next) && busy.some(({ isClosed }) => isClosed));
    });
  });
}
