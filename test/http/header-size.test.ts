import { expect } from 'chai';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { UWS_ENVIRONMENT } from '../../src/http/environment.js';
import { useOnce } from '../support/fixture.js';
import { RawClient } from '../support/raw-http.js';

const CHILD = fileURLToPath(new URL('support/edge-child.js', import.meta.url));
const HEADERS_SIZE = 'UWS_HTTP_MAX_HEADERS_SIZE';
/** Headers beside Host that this release lets through. */
const HEADERS_MAX = 97;

class Child {
  private constructor(
    private readonly process: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(headersSize: string | undefined): Promise<Child> {
    const env = { ...process.env };
    if (headersSize === undefined) Reflect.deleteProperty(env, HEADERS_SIZE);
    else env[HEADERS_SIZE] = headersSize;
    const child = fork(CHILD, { env });
    const [port] = (await once(child, 'message')) as [number];
    return new Child(child, port);
  }

  /** Status and body of the answer; the connection is closed. */
  async ask(target: string, headers: string): Promise<string> {
    const client = await RawClient.connect(this.port);
    client.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    const { status, body } = await client.readResponse();
    client.destroy();
    return status === 200 ? `200 ${body.toString()}` : String(status);
  }

  async stop(): Promise<void> {
    this.process.disconnect();
    const [code] = (await once(this.process, 'exit')) as [number];
    expect(code).to.equal(0);
  }
}

function many(count: number): string {
  return Array.from({ length: count }, (_, i) => `x-h-${i}: v\r\n`).join('');
}

describe('edge: size of the header block', () => {
  describe('with the environment that listeners get', () => {
    const child = useOnce(() => Child.start(UWS_ENVIRONMENT.UWS_HTTP_MAX_HEADERS_SIZE), 'stop');

    it('takes a header of 65,000 bytes', async () => {
      const answer = await child().ask('/', `x-a: ${'a'.repeat(65_000)}\r\n`);
      expect(answer).to.equal('200 2 65000');
    });

    it('takes a query of 65,000 bytes', async () => {
      expect(await child().ask(`/?${'q'.repeat(65_000)}`, '')).to.equal('200 1 65000');
    });

    it('answers more with 431', async () => {
      expect(await child().ask('/', `x-a: ${'a'.repeat(66_000)}\r\n`)).to.equal('431');
    });

    it(`takes ${HEADERS_MAX} headers and Host`, async () => {
      expect(await child().ask('/', many(HEADERS_MAX))).to.equal(`200 ${HEADERS_MAX + 1} 1`);
    });

    it('answers one more with 431', async () => {
      expect(await child().ask('/', many(HEADERS_MAX + 1))).to.equal('431');
    });
  });

  describe('without it', () => {
    const child = useOnce(() => Child.start(undefined), 'stop');

    it('answers 5,000 bytes with 431 where the environment of the listener does not set the limit', async () => {
      expect(await child().ask('/', `x-a: ${'a'.repeat(5_000)}\r\n`)).to.equal('431');
    });
  });
});
