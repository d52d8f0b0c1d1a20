import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ByteSource } from '../../src/lib/cancellation.js';
import type {
  OpenTransport,
  RetryReason,
  TransportOptions,
} from '../../src/backend/swift/net/open-transport.js';
import type { SwiftRequest } from '../../src/backend/swift/transport.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { openLabTransport } from './support.js';

const CONTEXT = { requestId: 'tx-transport' };
const CONTAINER = 'transport';

/** Keys that something on the way might take for something else. */
const KEYS = [
  ...['a/../b', 'a//b', './x', '..', '.', 'a/', '+', '%2F', '%', 'a b', 'a?b#c', '~', '"', "'"],
  ...['ünï/код', '日本', '\u{1F600}', 'new\nline', 'tab\t', '\u0001'],
  ...['a;b=c&d', '\\', '*', 'a\u0301'],
];

/** A body that says whether anybody asked for it. */
class Asked implements ByteSource {
  asked = false;

  constructor(private readonly text: string) {}

  get body() {
    return { source: this, size: Buffer.byteLength(this.text) };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.asked = true;
    yield await Promise.resolve(Buffer.from(this.text));
  }
}

describeWith(SWIFT_NEEDS, 'the transport on a real cluster', function () {
  this.timeout(180_000);
  const lab = useOnce(sharedSwiftLab);
  const transport = useOnce(() => open(), 'close');
  const retries: RetryReason[] = [];

  function open(options: Partial<TransportOptions> = {}): OpenTransport {
    const onRetry = (reason: RetryReason) => retries.push(reason);
    return openLabTransport(lab(), { onRetry, ...options });
  }

  async function send(request: Partial<SwiftRequest>, by = transport()) {
    const response = await by.request({
      context: CONTEXT,
      method: 'GET',
      account: 'AUTH_test',
      container: CONTAINER,
      ...request,
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text(1_000_000) };
  }

  /** One of each kind. */
  async function roundTrip(text: string, by = transport()): Promise<number[]> {
    const put = { method: 'PUT', repeatable: true } as const;
    const { body } = new Asked(text);
    const answers = [
      await send({ ...put, object: 'whole', body: Buffer.from(text) }, by),
      await send({ ...put, object: 'streamed', body }, by),
      await send({ object: 'whole' }, by),
      await send({ object: 'streamed' }, by),
    ];
    expect(answers.slice(2).map((answer) => answer.text)).to.deep.equal([text, text]);
    return answers.map(({ status }) => status);
  }

  before(async () => {
    expect((await send({ method: 'PUT' })).status).to.be.within(201, 202);
  });

  afterEach(() => {
    retries.length = 0;
  });

  after(async () => {
    await lab().heal();
  });

  it('knows the cluster and its filter', async () => {
    const info = await transport().info();
    expect(info).to.include({ objectNameBytesMax: 1024, hasSymlinks: true });
    expect(info.policies).to.include.members(['gold', 'silver', 'ec21']);
    expect(info.filter?.version).to.equal(1);
    await transport().ping(CONTEXT);
  });

  it('knows that the filter does not listen to another secret', async () => {
    const stranger = open({ filterSecret: 'another' });
    expect((await stranger.info()).filter).to.equal(undefined);
    await stranger.close();
  });

  it('carries every key and every value there and back', async () => {
    for (const object of KEYS) {
      const headers = { 'X-Object-Meta-Key': 'ünï €', 'Content-Type': 'text/plain' };
      const put = await send({ method: 'PUT', object, body: Buffer.from(object), headers });
      expect(put.status, JSON.stringify(object)).to.equal(201);
      const read = await send({ object });
      expect(read.text).to.equal(object);
      expect(read.headers.get('x-object-meta-key')).to.equal('ünï €');
    }
    const listed = JSON.parse((await send({ query: 'format=json' })).text) as { name: string }[];
    expect(listed.map(({ name }) => name)).to.include.members(KEYS);
  });

  it('asks for no byte of a stream that Swift refuses', async () => {
    const body = new Asked('abc');
    const put = { method: 'PUT', object: 'refused', body: body.body } as const;
    expect((await send({ ...put, container: 'transport-none' })).status).to.equal(404);
    await send({ method: 'PUT', object: 'refused', body: Buffer.from('there') });
    expect((await send({ ...put, headers: { 'If-None-Match': '*' } })).status).to.equal(412);
    expect(body.asked).to.equal(false);
  });

  it('is not seen when all tokens are lost', async () => {
    // One that has not asked what the filter can do needs tokens.
    const withTokens = open();
    await roundTrip('before', withTokens);
    for (let i = 0; i < 3; i++) {
      await lab().killServices('memcached');
      await lab().startServices('memcached');
      expect(await roundTrip(`after ${i}`, withTokens)).to.deep.equal([201, 201, 200, 200]);
    }
    // The proxies' filter remembers tokens for five seconds.
    for (let i = 0; !retries.includes('token'); i++) {
      const statuses = await roundTrip(`forgotten ${i}`, withTokens);
      expect(statuses).to.deep.equal([201, 201, 200, 200]);
      await pause(200);
    }
    await withTokens.close();
  });

  it('is not seen when a proxy is killed, nor when it is back', async () => {
    await lab().killServices('proxy-1');
    for (let i = 0; i < 5; i++) {
      expect(await roundTrip(`without ${i}`)).to.deep.equal([201, 201, 200, 200]);
    }
    await lab().startServices('proxy-1');
    expect(await roundTrip('back')).to.deep.equal([201, 201, 200, 200]);
  });

  it('goes on when a proxy accepts connections and answers none', async () => {
    const hasty = open({ headersTimeoutMs: 2_000, continueTimeoutMs: 2_000 });
    await roundTrip('before', hasty);
    await lab().pauseServices('proxy-1');
    for (let i = 0; i < 3; i++) {
      expect(await roundTrip(`paused ${i}`, hasty)).to.deep.equal([201, 201, 200, 200]);
    }
    await lab().resumeServices('proxy-1');
    await hasty.close();
  });
});
