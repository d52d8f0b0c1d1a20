import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { parseUpstream } from '../../../console/swift/address.js';
import { UpstreamError } from '../../../console/swift/errors.js';
import { authAddresses, storeAddresses } from '../../../console/swift/proxies.js';
import { Upstream } from '../../../console/swift/upstream.js';
import { freePort } from '../../support/free-port.js';
import { serve, type Served } from '../../support/serve.js';

describe('the proxies of a console', () => {
  const servers: Served[] = [];
  let upstream: Upstream | undefined;

  afterEach(() => {
    upstream?.close();
    for (const server of servers.splice(0)) server.close();
  });

  async function proxy(answer: RequestListener): Promise<number> {
    const server = await serve(answer);
    servers.push(server);
    return server.port;
  }

  /** Answers with what it was sent. */
  const well: RequestListener = (request, response) => request.pipe(response);
  const over = (...ports: number[]): Upstream => {
    const addresses = ports.map((port) => parseUpstream(`http://127.0.0.1:${port}`));
    return (upstream = new Upstream(addresses));
  };
  const get = (body?: Readable | string) => ({ method: body === undefined ? 'GET' : 'PUT', rawPath: '/v1/a', body }); // prettier-ignore

  it('stand in for one that is not there, for uploads too, of which nothing is lost', async () => {
    const store = over(await freePort(), await proxy(well));
    for (let count = 0; count < 4; count++) {
      expect((await store.send(get())).status).to.equal(200);
      const body = Readable.from([Buffer.from('all '), Buffer.from('of it')]);
      expect(await text((await store.send(get(body))).body)).to.equal('all of it');
    }
  });

  it('stand in for one that is busy, where that changes nothing, and for no write', async () => {
    const busy = await proxy((request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    const store = over(busy, await proxy(well));
    const statuses = async (method: string) => {
      const found: number[] = [];
      for (let count = 0; count < 2; count++) {
        const { status, body } = await store.send({ method, rawPath: '/v1/a' });
        body.resume();
        found.push(status);
      }
      return found;
    };
    expect(await statuses('POST')).to.have.members([200, 503]);
    expect(await statuses('GET')).to.deep.equal([200, 200]);
  });

  it('stand in for one that stands still', async () => {
    const store = over(await proxy(() => undefined), await proxy(well));
    const answers = await Promise.all([store.send(get()), store.send(get()), store.send(get())]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
  });

  it('are told of where none answers', async () => {
    const failure: unknown = await over(await freePort(), await freePort()).send(get()).catch((error: unknown) => error); // prettier-ignore
    expect(failure).to.be.instanceOf(UpstreamError).and.include({ kind: 'unavailable' });
  });

  it('are those of the configuration, of one scheme, with the login at each that has it', () => {
    const proxyBases = ['http://a:8080', 'http://b:8080', 'https://c:8080', 'http://b:8080/'];
    const options = { storeBase: 'http://a:8080', proxyBases };
    const names = (found: readonly { host: string; basePath: string }[]) =>
      found.map(({ host, basePath }) => host + basePath);
    expect(names(storeAddresses(options))).to.deep.equal(['a', 'b']);
    const logins = (authUrl: string) => names(authAddresses({ ...options, authUrl }));
    expect(logins('http://b:8080/auth/v1.0')).to.deep.equal(['b/auth/v1.0', 'a/auth/v1.0']);
    expect(logins('http://login:8080/auth/v1.0')).to.deep.equal(['login/auth/v1.0']);
  });
});
