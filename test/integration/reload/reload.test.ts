import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { isProcessAlive } from '../../../supervisor/process-alive.js';
import { eventually } from '../../support/eventually.js';
import { S3TestClient } from '../../support/s3-client.js';
import { ringway } from '../../support/ringway.js';
import { startService, type Service } from '../../support/service.js';
import { onlyOn } from '../../support/stack.js';
import { RetrylessLoad } from './retryless.js';

const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const RELOADS = IS_LARGE ? 10 : 3;
const REQUESTS = IS_LARGE ? 100_000 : 3_000;
/** As many again make a connection for each request. */
const CLIENTS = IS_LARGE ? 32 : 8;

describe('reload under load', function () {
  this.timeout(IS_LARGE ? 900_000 : 120_000);
  let service: Service;

  before(function () {
    onlyOn(this, 'embedded', 'it is about the processes, whatever they store in');
  });

  beforeEach(async () => {
    service = await startService();
    const s3 = new S3TestClient(service);
    expect((await s3.put('/bucket', '')).status).to.equal(200);
    await s3.close();
  });

  afterEach(async () => {
    await service.stop();
  });

  it(`fails none of ${REQUESTS} requests of clients that never retry`, async () => {
    const first = service.pids();
    const load = new RetrylessLoad(
      { ...service, bucket: 'bucket' },
      { clients: CLIENTS, requests: REQUESTS },
    );
    const running = load.run();
    try {
      for (let reload = 1; reload <= RELOADS; reload++) {
        await load.reached((REQUESTS * reload) / (RELOADS + 1));
        const before = service.pids();
        expect(await ringway(service, 'reload')).to.deep.equal({ code: 0, stderr: '' });
        // By now the former ones have ended.
        expect(service.pids().filter((pid) => before.includes(pid))).to.deep.equal([]);
      }
    } finally {
      load.end();
    }
    const { done, failures, closes } = await running;
    expect(failures).to.deep.equal([]);
    expect(done).to.be.at.least(REQUESTS);
    // Those that keep their connection were told to make another one, each at each reload.
    expect(closes).to.be.at.least(CLIENTS);
    expect(first.filter(isProcessAlive)).to.deep.equal([]);
  });

  it('answers one more request on a connection that is kept, and closes it with the answer', async () => {
    const { port } = new URL(service.endpoint);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    let received = '';
    let ended = false;
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.once('end', () => (ended = true));
    const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(ask);
    await eventually(
      () => Promise.resolve(received),
      (text) => text.endsWith('</Error>'),
    );
    expect(received).not.to.match(/^Connection: close/im);
    const before = service.pids();
    const reloading = ringway(service, 'reload');
    await eventually(
      () => Promise.resolve(service.output()),
      (output) => output.includes('"msg":"reloaded"'),
    );
    expect(ended).to.equal(false);
    received = '</Error>';
    // The former listener is told to drain just after that line, and answers as before until then.
    await eventually(
      () => {
        if (!ended && received.endsWith('</Error>') && !/^Connection: close/im.test(received)) {
          received = '';
          socket.write(ask);
        }
        return Promise.resolve(ended);
      },
      (isOver) => isOver,
    );
    expect(received)
      .to.match(/^HTTP\/1\.1 403/)
      .and.to.match(/^Connection: close/im);
    expect(await reloading).to.deep.equal({ code: 0, stderr: '' });
    expect(service.pids().filter((pid) => before.includes(pid))).to.deep.equal([]);
  });
});
