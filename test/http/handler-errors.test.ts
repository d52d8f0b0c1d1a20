import { expect } from 'chai';
import type { ExchangeHandler } from '../../src/http/exchange.js';
import { serveHttp } from '../../src/http/server.js';
import { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, edgeOptions, startEdge, type Edge } from './support/edge.js';

describe('edge: handlers that fail', () => {
  const fault = new Error('a mistake');
  let edge: Edge;
  let client: RawClient;

  afterEach(closeEdges);

  async function serve(failing: ExchangeHandler): Promise<void> {
    edge = await startEdge((exchange) => {
      if (exchange.request.rawPath === '/bad') return failing(exchange);
      void exchange.respond({ status: 200, headers: [], body: 'fine' });
      return undefined;
    });
    client = await edge.connect();
  }

  const throwing = (): never => {
    throw fault;
  };
  const FAILING: readonly (readonly [what: string, handler: ExchangeHandler])[] = [
    ['throws at once', throwing],
    ['rejects', () => Promise.reject(fault)],
    ['rejects later', () => new Promise(setImmediate).then(throwing)],
  ];
  for (const [what, handler] of FAILING) {
    it(`answers 500 when a handler ${what}, and goes on`, async () => {
      await serve(handler);
      const answer = await client.get('/bad');
      expect(answer.status).to.equal(500);
      expect(answer.body).to.have.length(0);
      expect(edge.errors).to.deep.equal([fault]);
      expect((await client.get('/good')).body.toString()).to.equal('fine');
    });
  }

  it('answers 500 when a handler ends without an answer', async () => {
    await serve(() => Promise.resolve());
    expect((await client.get('/bad')).status).to.equal(500);
    expect((edge.errors[0] as Error).message).to.match(/without a response/);
  });

  it('cuts the connection when a response had begun', async () => {
    await serve(async (exchange) => {
      const body = (async function* () {
        yield Buffer.from('begin');
        await new Promise(() => undefined);
      })();
      void exchange.respond({ status: 200, headers: [], body, contentLength: 10 });
      await until(() => client.pendingBytes > 0);
      throw fault;
    });
    client.send('GET /bad HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await client.untilClosed()).toString()).to.match(/begin$/);
    expect(edge.errors).to.deep.equal([fault]);
    expect(edge.server.inFlight).to.equal(0);
  });

  it('only reports what happens after a complete response', async () => {
    await serve(async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: 'done' });
      throw fault;
    });
    expect((await client.get('/bad')).body.toString()).to.equal('done');
    expect((await client.get('/good')).status).to.equal(200);
    expect(edge.errors).to.deep.equal([fault]);
  });

  it('only reports what happens when the client is gone', async () => {
    await serve(async (exchange) => {
      await until(() => exchange.aborted);
      throw fault;
    });
    client.send('GET /bad HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => edge.server.inFlight === 1);
    client.destroy();
    await until(() => edge.errors.length === 1);
    expect((await (await edge.connect()).get('/good')).status).to.equal(200);
  });

  it('closes without an answer when the handler cuts', async () => {
    let aborted = false;
    await serve((exchange) => {
      exchange.cut();
      exchange.cut();
      ({ aborted } = exchange);
      return Promise.resolve();
    });
    client.send('GET /bad HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await client.untilClosed()).to.have.length(0);
    expect(aborted).to.equal(true);
    expect(edge.errors).to.deep.equal([]);
  });

  it('never touches a response that is over', async () => {
    await serve(async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: 'done' });
      exchange.cut();
      expect(exchange.request.remoteAddress).to.equal('');
      expect(exchange.signal.aborted).to.equal(false);
    });
    expect((await client.get('/bad')).body.toString()).to.equal('done');
    expect((await client.get('/good')).status).to.equal(200);
    expect(edge.errors).to.deep.equal([]);
  });

  it('survives a report that fails itself', async () => {
    const warnings: string[] = [];
    const warned = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warned);
    const onHandlerError = (): never => {
      throw new Error('no log');
    };
    const server = await serveHttp(edgeOptions({ onHandlerError }), () => Promise.reject(fault));
    const reporter = await RawClient.connect(server.port);
    expect((await reporter.get('/')).status).to.equal(500);
    // Other suites in this process may cause some, too.
    await until(() => warnings.includes('no log'));
    process.off('warning', warned);
    reporter.destroy();
    server.close();
  });
});
