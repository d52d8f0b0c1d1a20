import { expect } from 'chai';
import type { SwiftRequest } from '../../../src/backend/swift/transport.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { answer, hang, reset, shortBody, type Step } from './support/fake-swift.js';
import { useFakes } from './support/open-fake.js';

const PUT: Partial<SwiftRequest> = {
  method: 'PUT',
  container: 'c',
  object: 'o',
  body: Buffer.from('abc'),
};

/** The ways a request breaks, the transport's error for each, and whether to send it again. */
describe('Swift transport: failures', () => {
  const open = useFakes();
  const fixture = useEach(() => open(1, { ejectAfter: 100 }));

  beforeEach(async () => {
    // The login, so that it is not what fails.
    (await fixture().get()).cancel();
    fixture().fake.seen.length = 0;
  });

  it('says Unavailable when the connection is refused, after having tried again', async () => {
    await fixture().fake.stop();
    await until(() => fixture().transport.load().idle === 0);
    const error = await failureOf(fixture().get(PUT));
    expect(error).to.have.property('code', 'Unavailable');
    expect(error).to.have.property('message').that.contains(fixture().fake.url);
    expect(fixture().retries).to.deep.equal(['connect', 'connect']);
    const kinds = fixture().attempts.map(({ error: kind }) => kind);
    expect(kinds.slice(2)).to.deep.equal(['connect', 'connect', 'connect']);
  });

  it('is back when the proxy is', async () => {
    await fixture().fake.stop();
    await failureOf(fixture().get(PUT));
    await fixture().fake.start();
    expect((await fixture().get(PUT)).status).to.equal(200);
  });

  const once: [string, Step][] = [
    ['a connection that is reset before the answer', reset],
    ['503', answer(503)],
    ['502', answer(502)],
    ['504', answer(504)],
  ];
  for (const [title, step] of once) {
    it(`sends a read again after ${title}`, async () => {
      fixture().fake.steps = [step, answer(200, 'there')];
      expect(await (await fixture().get()).text(100)).to.equal('there');
      expect(fixture().fake.seen).to.have.length(2);
    });

    it(`sends what is repeatable again after ${title}`, async () => {
      fixture().fake.steps = [step, answer(201)];
      expect((await fixture().get({ ...PUT, repeatable: true })).status).to.equal(201);
      expect(fixture().fake.seen[1]!.headers['content-length']).to.equal('3');
    });
  }

  it('does not send a write again of which it is not known what became', async () => {
    fixture().fake.steps = [reset, answer(201)];
    expect(await codeOf(fixture().get(PUT))).to.equal('Unavailable');
    expect(fixture().fake.seen).to.have.length(1);
  });

  it('hands on a 503 of a write', async () => {
    fixture().fake.steps = [answer(503, 'busy'), answer(201)];
    const response = await fixture().get(PUT);
    expect(response.status).to.equal(503);
    expect(await response.text(100)).to.equal('busy');
    expect(fixture().fake.seen).to.have.length(1);
  });

  it('hands on the last of several 503s of a read', async () => {
    fixture().fake.steps = [answer(503)];
    expect((await fixture().get()).status).to.equal(503);
    expect(fixture().fake.seen).to.have.length(3);
  });

  it('spends only so much on trying again', async () => {
    fixture().fake.steps = [answer(503)];
    for (let i = 0; i < 60; i++) (await fixture().get({ method: 'HEAD' })).cancel();
    // 60 requests, two retries for each of the first 25 or so, and a tenth of one for each other.
    expect(fixture().fake.seen.length).to.be.within(60, 60 + 60);
  }).timeout(20_000);

  it('says Timeout when no answer comes', async () => {
    fixture().fake.steps = [hang];
    expect(await codeOf(fixture().get({ headersTimeoutMs: 100 }))).to.equal('Timeout');
    expect(fixture().fake.seen).to.have.length(1);
    expect(fixture().attempts.at(-1)?.error).to.equal('timeout');
  });

  it('waits as long as this request may take', async () => {
    const impatient = await open(1, { headersTimeoutMs: 100 });
    impatient.fake.steps = [
      ({ response }) => {
        setTimeout(() => response.end('late'), 300);
      },
    ];
    const response = await impatient.get({ headersTimeoutMs: 20_000 });
    expect(await response.text(100)).to.equal('late');
  });

  it('throws while reading when the body ends early', async () => {
    fixture().fake.steps = [shortBody(1000, 'not all')];
    const response = await fixture().get();
    expect(response.status).to.equal(200);
    expect(await codeOf(response.text(2000))).to.equal('Unavailable');
    expect(fixture().transport.load().active).to.equal(0);
  });

  it('throws while reading when the body stands still', async () => {
    const impatient = await open(1, { bodyTimeoutMs: 100 });
    impatient.fake.steps = [
      ({ response }) => {
        response.writeHead(200, { 'Content-Length': 1000 });
        response.write('the beginning');
      },
    ];
    const response = await impatient.get();
    expect(await codeOf(response.text(2000))).to.equal('Timeout');
  });

  it('says Unavailable when the answer is not HTTP', async () => {
    fixture().fake.steps = [
      ({ incoming }) => {
        incoming.socket.end('SSH-2.0-OpenSSH_9.2\r\n');
      },
    ];
    expect(await codeOf(fixture().get(PUT))).to.equal('Unavailable');
  });

  it('does not notice that the proxy closed connections that were idle', async () => {
    for (let i = 0; i < 20; i++) {
      fixture().fake.dropConnections();
      expect((await fixture().get()).status).to.equal(200);
    }
  });

  it('fails what is under way when it is closed, and everything after that', async () => {
    let arrived!: () => void;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    fixture().fake.steps = [
      () => {
        arrived();
      },
    ];
    const underWay = failureOf(fixture().get());
    await asked;
    await fixture().transport.close();
    expect(await underWay).to.have.property('code', 'Unavailable');
    expect(await codeOf(fixture().get())).to.equal('Unavailable');
  });
});
