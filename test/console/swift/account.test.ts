import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { listContainers } from '../../../console/surfaces/files/swift-listing.js';
import { SwiftAccount } from '../../../console/swift/account.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { CredentialsRefusedError, UpstreamError } from '../../../console/swift/errors.js';
import { swiftLogin } from '../../../console/swift/login.js';
import { swiftPath } from '../../../console/swift/path.js';
import { readBody, Upstream } from '../../../console/swift/upstream.js';
import { useEach } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';

/** A store whose tokens last as long as its test says. */
async function startFake() {
  const state = {
    valid: new Set<string>(),
    logins: 0,
    acceptsKey: true,
    /** As while memcached is away: logins succeed. */
    forgets: false,
    paths: [] as string[],
  };
  const server = await serve((request, response) => {
    const path = request.url ?? '';
    if (path === '/auth/v1.0') {
      if (!state.acceptsKey) return void response.writeHead(401).end();
      const token = `token-${++state.logins}`;
      if (!state.forgets) state.valid.add(token);
      const url = 'http://elsewhere.example:1/v1/AUTH_test';
      return void response.writeHead(200, { 'x-auth-token': token, 'x-storage-url': url }).end();
    }
    state.paths.push(path);
    request.resume();
    request.on('end', () => {
      const known = state.valid.has(String(request.headers['x-auth-token']));
      response.writeHead(known ? 200 : 401).end('x'.repeat(1000));
    });
  });
  const close = () => {
    server.close();
  };
  return { state, address: parseUpstream(server.origin), close };
}

describe('console swift account', () => {
  const fake = useEach(startFake, 'close');
  const store = useEach(() => new Upstream(fake().address), 'close');
  const auth = useEach(() => new Upstream({ ...fake().address, basePath: '/auth/v1.0' }), 'close');
  let nowMs: number;
  const account = useEach(async () => {
    nowMs = 0;
    const login = () => swiftLogin(auth(), 'test:tester', 'testing');
    return new SwiftAccount({ store: store(), token: await login(), login, now: () => nowMs });
  });

  it('takes the account of the storage URL, and stays with its own host', async () => {
    expect(account().name).to.equal('AUTH_test');
    await account().do([200], 'GET', { container: 'c' });
    expect(fake().state.paths).to.deep.equal(['/v1/AUTH_test/c']);
  });

  it('sends names as they are', async () => {
    for (const object of ['a/../b', 'a/./b', 'a//b', '/lead', 'trail/', 'ü?#% +']) {
      await account().do([200], 'GET', { container: 'c', object });
    }
    expect(fake().state.paths.map((path) => path.slice('/v1/AUTH_test/c/'.length))).to.deep.equal([
      'a/../b',
      'a/./b',
      'a//b',
      '/lead',
      'trail/',
      '%C3%BC%3F%23%25%20%2B',
    ]);
  });

  it('logs in once more when the store has forgotten the token, once for all requests', async () => {
    fake().state.valid.clear();
    const answers = await Promise.all([1, 2, 3].map(() => account().do([200], 'GET', {})));
    expect(answers).to.have.length(3);
    expect(fake().state.logins).to.equal(2);
  });

  it('gives up when the key is refused, too', async () => {
    fake().state.valid.clear();
    fake().state.acceptsKey = false;
    const error = await account()
      .do([200], 'GET', {})
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(CredentialsRefusedError);
  });

  it('says that the store is not available while that forgets its tokens at once', async () => {
    fake().state.valid.clear();
    fake().state.forgets = true;
    const failed = (): Promise<unknown> =>
      account()
        .do([200], 'GET', {})
        .catch((thrown: unknown) => thrown);
    expect(await failed())
      .to.be.instanceOf(UpstreamError)
      .with.property('kind', 'unavailable');
    fake().state.forgets = false;
    await account().do([200], 'GET', {});
  });

  it('sends no stream twice when the store has forgotten a token that just worked', async () => {
    const put = (): Promise<unknown> => {
      const body = Readable.from([Buffer.from('body')]);
      const target = { container: 'c', object: 'o', body };
      return account()
        .do([200], 'PUT', target)
        .catch((thrown: unknown) => thrown);
    };
    fake().state.valid.clear();
    expect(await put())
      .to.be.instanceOf(UpstreamError)
      .with.property('kind', 'unavailable');
    expect(await put()).to.have.property('status', 200);
    expect(fake().state.paths).to.have.length(2);
  });

  it('tries an old token before it sends a stream with it', async () => {
    fake().state.valid.clear();
    nowMs += 31_000;
    const body = Readable.from([Buffer.from('body')]);
    await account().do([200], 'PUT', { container: 'c', object: 'o', body });
    expect(fake().state.logins).to.equal(2);
  });

  it('ends with the error of a stream that fails while an old token is tried', async () => {
    nowMs += 31_000;
    const body = new PassThrough();
    const failure = new Error('the client has left');
    const target = { container: 'c', object: 'o', body };
    const ended = account()
      .do([200], 'PUT', target)
      .catch((thrown: unknown) => thrown);
    body.destroy(failure);
    expect(await ended).to.equal(failure);
    // The account was asked for, and nothing was written.
    expect(fake().state.paths).to.deep.equal(['/v1/AUTH_test']);
  });

  it('takes a listing that is no JSON for a wrong answer', async () => {
    const error = await listContainers(account(), {}).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UpstreamError).with.property('kind', 'invalid');
  });

  it('reads no more than it is told', async () => {
    const { body } = await account().send('GET', {});
    const error = await readBody(body, 999).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UpstreamError).with.property('kind', 'invalid');
  });

  it('holds no connection for a body that is refused before its end', async () => {
    const refusing = http.createServer((_request, response) => {
      response.writeHead(413, { 'content-length': '2' }).end('no');
    });
    // It never closes the connection by itself.
    refusing.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const closed = new Promise<void>((resolve) => {
      refusing.once('connection', (socket: Socket) => socket.once('close', resolve));
    });
    const upstream = new Upstream({
      ...fake().address,
      port: (refusing.address() as AddressInfo).port,
    });
    // The rest never comes: whoever sends it has been told.
    const body = new PassThrough();
    body.write('beginning');
    const headers = { 'content-length': '1000000' };
    const answer = await upstream.send({ method: 'PUT', rawPath: '/', headers, body });
    expect([answer.status, (await readBody(answer.body, 10)).toString()]).to.deep.equal([
      413,
      'no',
    ]);
    await closed;
    upstream.close();
    refusing.close();
  });

  it('says when the store does not answer, or not in time', async () => {
    const silent = await serve(() => undefined);
    const upstream = new Upstream(parseUpstream(silent.origin));
    const kindOf = (idleMs: number) =>
      upstream
        .send({ method: 'GET', rawPath: '/', idleMs })
        .then(() => 'answer')
        .catch((error: unknown) => (error as UpstreamError).kind);
    expect(await kindOf(20)).to.equal('timeout');
    silent.close();
    expect(await kindOf(1000)).to.equal('unavailable');
    upstream.close();
  });
});

describe('console swift path', () => {
  it('encodes each part, and leaves out what is not asked', () => {
    const query = {
      limit: 5,
      marker: undefined,
      prefix: 'a b',
      'multipart-manifest': 'get',
      raw: '',
    };
    expect(swiftPath('AUTH_é', { container: '☃+ ', object: 'x' }, query)).to.equal(
      '/v1/AUTH_%C3%A9/%E2%98%83%2B%20/x?limit=5&prefix=a%20b&multipart-manifest=get&raw',
    );
  });
});
