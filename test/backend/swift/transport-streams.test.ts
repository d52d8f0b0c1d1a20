import { expect } from 'chai';
import { codeOf, failureOf } from '../../support/failure.js';
import { until } from '../../support/until.js';
import type { ByteSource } from '../../../src/lib/cancellation.js';
import { answer, hang, reset, type SeenRequest } from './support/fake-swift.js';
import { useFakes, type Fixture } from './support/open-fake.js';

/** A body that says what is asked of it, out of one buffer that it uses again and again. */
class Recorded implements ByteSource {
  asked = 0;
  left = false;

  constructor(
    private readonly chunks: readonly string[],
    private readonly error?: Error,
  ) {}

  get size(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const buffer = Buffer.alloc(1024 * 1024);
    try {
      for (const chunk of this.chunks) {
        this.asked += 1;
        buffer.fill(0);
        yield await Promise.resolve(buffer.subarray(0, buffer.write(chunk, 'latin1')));
      }
      if (this.error !== undefined) throw this.error;
    } finally {
      this.left = true;
    }
  }
}

function put(source: Recorded, size = source.size) {
  return { method: 'PUT', container: 'c', object: 'o', body: { source, size } } as const;
}

describe('Swift transport: streams', () => {
  const open = useFakes();
  let fixture: Fixture;
  const bodies: string[] = [];
  const store = async (request: SeenRequest): Promise<void> => {
    bodies.push((await request.body()).toString('latin1'));
    request.response.writeHead(201, { Etag: 'e' }).end();
  };

  beforeEach(async () => {
    bodies.length = 0;
    fixture = await open(1, { ejectAfter: 100 });
    fixture.fake.steps = [store];
  });

  afterEach(() => {
    expect(fixture.transport.load().active).to.equal(0);
  });

  it('sends what the source gives, although it uses its buffer again', async () => {
    const chunks = Array.from({ length: 40 }, (_, i) => String(i % 10).repeat(1 + i * 5000));
    const source = new Recorded(chunks);
    const response = await fixture.get(put(source));
    expect(response.status).to.equal(201);
    expect(response.headers.get('etag')).to.equal('e');
    expect(bodies).to.deep.equal([chunks.join('')]);
    const { headers } = fixture.fake.seen[0]!;
    expect(headers).to.include({ expect: '100-continue', 'content-length': String(source.size) });
    expect(headers).not.to.have.property('transfer-encoding');
    expect(headers['x-auth-token']).to.equal('token-0');
  });

  it('keeps its connection', async () => {
    for (let i = 0; i < 5; i++) await (await fixture.get(put(new Recorded(['abc'])))).text(10);
    expect(fixture.fake.connections).to.equal(1);
  });

  const refusals: [string, number][] = [
    ['a token that is not known any more', 401],
    ['503', 503],
  ];
  for (const [title, status] of refusals) {
    it(`asks for nothing of the body before the request was taken: ${title}`, async () => {
      (await fixture.get()).cancel();
      bodies.length = 0;
      const source = new Recorded(['abc', 'def']);
      let asked = -1;
      fixture.fake.forgetTokens();
      const refuse = answer(status);
      fixture.fake.steps = [
        async (request) => {
          asked = source.asked;
          await refuse(request);
        },
        store,
      ];
      expect((await fixture.get(put(source))).status).to.equal(201);
      expect(asked).to.equal(0);
      expect(bodies).to.deep.equal(['abcdef']);
    });
  }

  it('is not seen when the proxy is gone before it took the request', async () => {
    fixture.fake.steps = [reset, reset, store];
    expect((await fixture.get(put(new Recorded(['abc'])))).status).to.equal(201);
    expect(fixture.retries).to.deep.equal(['reset', 'reset']);
  });

  it('hands on a refusal with the body unread', async () => {
    const source = new Recorded(['abc']);
    for (const status of [404, 412, 413, 507]) {
      fixture.fake.steps = [answer(status, 'why')];
      const response = await fixture.get(put(source));
      expect(response.status).to.equal(status);
      expect(await response.text(100)).to.equal('why');
    }
    expect(source.asked).to.equal(0);
  });

  it('sends the body without 100 Continue when there is no other endpoint', async () => {
    const patient = await open(1, { continueTimeoutMs: 20 });
    const silent = async ({ incoming, response }: SeenRequest): Promise<void> => {
      let bytes = 0;
      for await (const chunk of incoming) bytes += (chunk as Buffer).length;
      response.writeHead(201).end(String(bytes));
    };
    patient.fake.steps = [silent];
    for (let i = 0; i < 2; i++) {
      const response = await patient.get(put(new Recorded(['abc'])));
      expect(await response.text(10)).to.equal('3');
    }
  });

  it('asks another one when it hears nothing', async () => {
    const two = await open(2, { continueTimeoutMs: 20 });
    two.fakes[0]!.steps = [hang];
    two.fakes[1]!.steps = [store];
    for (let i = 0; i < 4; i++) {
      expect((await two.get(put(new Recorded(['abc'])))).status).to.equal(201);
    }
    expect(bodies).to.have.length(4);
  });

  it('sends a body of unknown size in chunks', async () => {
    const chunks = ['a', 'b'.repeat(100_000), 'c'];
    const source = new Recorded(chunks);
    for (let i = 0; i < 2; i++) {
      const body = { source, size: undefined };
      const response = await fixture.get({ method: 'PUT', container: 'c', object: 'o', body });
      expect(response.status).to.equal(201);
    }
    expect(bodies).to.deep.equal([chunks.join(''), chunks.join('')]);
    const { headers } = fixture.fake.seen[0]!;
    expect(headers).to.include({ 'transfer-encoding': 'chunked', expect: '100-continue' });
    expect(headers).not.to.have.property('content-length');
    expect(fixture.fake.connections).to.equal(1);
  });

  it('never says of a body in chunks that it has ended when its source has failed', async () => {
    let outcome: string | undefined;
    fixture.fake.steps = [
      async (request) => {
        outcome = await request.body().then(
          () => 'stored',
          () => 'broken off',
        );
      },
    ];
    const error = new Error('the client went away');
    const body = { source: new Recorded(['abc'], error), size: undefined };
    expect(await failureOf(fixture.get({ method: 'PUT', container: 'c', body }))).to.equal(error);
    await until(() => outcome !== undefined);
    expect(outcome).to.equal('broken off');
  });

  it('throws what the source throws, and stores nothing', async () => {
    const error = new Error('the client went away');
    const source = new Recorded(['abc'], error);
    let stored = false;
    fixture.fake.steps = [
      async (request) => {
        await request.body().then(
          () => (stored = true),
          () => undefined,
        );
      },
    ];
    expect(await failureOf(fixture.get(put(source, 10)))).to.equal(error);
    expect(stored).to.equal(false);
  });

  for (const [title, announced] of [
    ['shorter', 4],
    ['longer', 2],
  ] as const) {
    it(`says BodyMismatch of a body that is ${title} than announced`, async () => {
      const source = new Recorded(['abc']);
      expect(await codeOf(fixture.get(put(source, announced)))).to.equal('BodyMismatch');
      expect(source.left).to.equal(true);
      expect(bodies).to.deep.equal([]);
    });
  }

  it('does not send a body again that was begun', async () => {
    fixture.fake.steps = [
      ({ incoming, response }) => {
        response.writeContinue();
        incoming.once('data', () => incoming.socket.resetAndDestroy());
      },
      store,
    ];
    const source = new Recorded(['abc', 'def'], new Error('asked for more'));
    expect(await failureOf(fixture.get(put(source, 100)))).to.exist;
    expect(fixture.fake.seen).to.have.length(1);
    await until(() => source.left);
  });

  it('stops sending when the answer comes before the end of the body', async () => {
    fixture.fake.steps = [
      ({ incoming, response }) => {
        response.writeContinue();
        incoming.once('data', () => response.writeHead(507, { 'Content-Length': 4 }).end('full'));
      },
    ];
    const source = new Recorded(Array.from({ length: 100 }, () => 'x'.repeat(100_000)));
    const response = await fixture.get(put(source));
    expect(response.status).to.equal(507);
    expect(await response.text(10)).to.equal('full');
    await until(() => source.left);
    expect(source.asked).to.be.lessThan(100);
  });

  it('says Timeout when nothing is read of the body', async () => {
    const impatient = await open(1, { bodyTimeoutMs: 100 });
    impatient.fake.steps = [
      ({ incoming, response }) => {
        response.writeContinue();
        incoming.pause();
      },
    ];
    const source = new Recorded(Array.from({ length: 100 }, () => 'x'.repeat(1_000_000)));
    expect(await codeOf(impatient.get(put(source)))).to.equal('Timeout');
    await until(() => source.left);
  });

  it('says Timeout when the body is sent and no answer comes', async () => {
    fixture.fake.steps = [
      async (request) => {
        await request.body();
      },
    ];
    const request = { ...put(new Recorded(['abc'])), headersTimeoutMs: 100 };
    expect(await codeOf(fixture.get(request))).to.equal('Timeout');
  });

  it('streams to a proxy that was down, when it is back', async () => {
    await fixture.get();
    await fixture.fake.stop();
    expect(await codeOf(fixture.get(put(new Recorded(['abc']))))).to.equal('Unavailable');
    await fixture.fake.start();
    expect((await fixture.get(put(new Recorded(['abc'])))).status).to.equal(201);
  });
});
