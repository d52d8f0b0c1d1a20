import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge } from './support/edge.js';

/** Both ends of each are in this process: with RINGWAY_LARGE=1 it opens 10,000 files. */
const CONNECTIONS = process.env.RINGWAY_LARGE === '1' ? 5_000 : 500;
/** Both ends; 6 kB were measured with 5,000. */
const BYTES_EACH_MAX = 64 * 1024;

describe('edge: idle connections', () => {
  afterEach(closeEdges);

  it(`cost little, ${CONNECTIONS} of them, and hold up no other client`, async () => {
    const edge = await startEdge((exchange) => {
      void exchange.respond({ status: 204, headers: [] });
    });
    await (await edge.connect()).get('/first');
    const before = process.memoryUsage.rss();
    const idle: RawClient[] = [];
    while (idle.length < CONNECTIONS) {
      const opened = Array.from({ length: 50 }, () => edge.connect());
      idle.push(...(await Promise.all(opened)));
      // Half of them have begun a request.
      for (const client of idle.slice(-25)) client.send('GET /slow HTTP/1.1\r\nHost: a\r\nX-Hea');
    }
    await until(() => edge.server.connections > CONNECTIONS);
    expect((await (await edge.connect()).get('/others')).status).to.equal(204);
    const bytesEach = (process.memoryUsage.rss() - before) / CONNECTIONS;
    if (CONNECTIONS === 5_000) console.log(`${Math.round(bytesEach)} bytes for each connection`);
    expect(bytesEach).to.be.below(BYTES_EACH_MAX);
    expect(edge.server.inFlight).to.equal(0);
    for (const client of idle) client.destroy();
    await until(() => edge.server.connections <= 2);
    await turn();
    expect((await (await edge.connect()).get('/after')).status).to.equal(204);
  });
});
