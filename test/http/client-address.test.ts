import { expect } from 'chai';
import { serveHttp, type HttpServer } from '../../src/http/server.js';
import { TrustedProxies } from '../../src/http/trusted-proxies.js';
import { RawClient } from '../support/raw-http.js';
import { edgeOptions } from './support/edge.js';

/** Over a real socket: who a client is, and what it may say of itself. */
describe('edge: the address of a client', () => {
  let server: HttpServer | undefined;
  let client: RawClient | undefined;

  afterEach(() => {
    client?.destroy();
    server?.close();
    server = undefined;
  });

  async function connect(listen: string, to: string, trusted: readonly string[]): Promise<void> {
    const proxies = new TrustedProxies(trusted);
    server = await serveHttp(edgeOptions({ host: listen }), (exchange) => {
      const body = proxies.clientAddress(exchange.request);
      void exchange.respond({ status: 200, headers: [], body });
    });
    client = await RawClient.connect(server.port, to);
  }

  async function seen(...forwardedFor: readonly string[]): Promise<string> {
    const lines = forwardedFor.map((value) => `X-Forwarded-For: ${value}\r\n`);
    const answer = await client?.get('/', lines.join(''));
    return answer?.body.toString() ?? '';
  }

  const PEERS: readonly (readonly [listen: string, to: string, peer: string])[] = [
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['::1', '::1', '::1'],
    ['::', '::1', '::1'],
    ['::', '127.0.0.1', '127.0.0.1'],
  ];

  for (const [listen, to, peer] of PEERS) {
    describe(`on ${listen}, from ${to}`, () => {
      it('is its own where no proxy is trusted, whatever it says', async () => {
        await connect(listen, to, []);
        expect(await seen()).to.equal(peer);
        expect(await seen('198.51.100.4')).to.equal(peer);
      });

      it('is its own where others are trusted', async () => {
        await connect(listen, to, ['10.0.0.0/8', '2001:db8::/32', '127.0.0.2', '::2']);
        for (const said of ['198.51.100.4', '2001:db8::7', '10.0.0.1, 127.0.0.2', peer]) {
          expect(await seen(said), said).to.equal(peer);
        }
      });

      it('is what the nearest that is not trusted was seen as, by those that are', async () => {
        await connect(listen, to, [peer, '10.0.0.0/8', '2001:db8::/32']);
        const chains: readonly (readonly [said: readonly string[], address: string])[] = [
          [['198.51.100.4'], '198.51.100.4'],
          [['2001:db9::4'], '2001:db9::4'],
          // Through two proxies and three; what the client itself has written stands in front.
          [['6.6.6.6, 198.51.100.4, 10.0.0.9'], '198.51.100.4'],
          [['::6, 2001:db9:0:0::4, 2001:db8::1, 10.1.1.1'], '2001:db9:0:0::4'],
          // A proxy that adds a line of its own instead of adding to the line.
          [['10.0.0.6', '198.51.100.4'], '198.51.100.4'],
          [['6.6.6.6', '10.0.0.6', '198.51.100.4', '10.0.0.7'], '198.51.100.4'],
          // An IPv4 address in either of its forms.
          [['::ffff:198.51.100.4, ::ffff:10.0.0.9'], '198.51.100.4'],
          [['6.6.6.6, ::ffff:a00:9'], '6.6.6.6'],
          // A value that is no address ends the chain.
          [['198.51.100.4, <script>, 10.0.0.9'], '10.0.0.9'],
          [['198.51.100.4, 10.0.0.300'], peer],
        ];
        for (const [said, address] of chains) expect(await seen(...said)).to.equal(address);
      });
    });
  }

  describe('is not taken from the PROXY protocol', () => {
    it('of version 1, which is refused', async () => {
      await connect('127.0.0.1', '127.0.0.1', ['127.0.0.1']);
      client?.send('PROXY TCP4 198.51.100.4 127.0.0.1 5 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n');
      expect((await client?.untilClosed())?.toString()).to.match(/^HTTP\/1.1 505 /);
    });

    it('of version 2, which the library reads, from any client', async () => {
      await connect('127.0.0.1', '127.0.0.1', ['127.0.0.1']);
      const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
      const addresses = Buffer.from([198, 51, 100, 4, 127, 0, 0, 1, 0, 5, 0, 80]);
      const head = Buffer.from([0x21, 0x11, 0, addresses.length]);
      client?.send(Buffer.concat([signature, head, addresses]));
      expect(await seen()).to.equal('127.0.0.1');
    });
  });
});
