import { expect } from 'chai';
import { openSwiftBackend } from '../../../src/backend/swift/index.js';
import type { SwiftTransport } from '../../../src/backend/swift/transport.js';
import { Gateway, type Answer } from '../../s3/retries/gateway.js';
import { useEach } from '../../support/fixture.js';
import { openDirectFixture } from './direct/support.js';
import { answer, type FakeSwift, type Step } from './support/fake-swift.js';
import { openFakes } from './support/open-fake.js';
import {
  contentOf,
  rightAnswer,
  sendRaw,
  wantedOf,
  WRONG_BODIES,
  type WrongBody,
} from './support/wrong-bodies.js';

/**
 * A wrong body is an error, or a connection that is cut once it was begun. Its reader never gets
 * bytes of any other place: neither of the object nor of this process's memory.
 */

/** Read into one buffer, and streamed. */
const SIZES = [64, 40_000];

const READS: readonly { readonly query?: string; readonly range?: string }[] = [
  {},
  { query: '?partNumber=1' },
  ...['bytes=1-62', 'bytes=3-', 'bytes=-50', 'bytes=0-0', 'bytes=0-39999'].map((range) => ({
    range,
  })),
];

const OBJECT = {
  ETag: '5d41402abc4b2a76b9719d911017c592',
  'X-Timestamp': '1700000000.00000',
  'X-Backend-Timestamp': '1700000000.00000',
  'X-Backend-Data-Timestamp': '1700000000.00000',
};
const CONTAINER = {
  'X-Timestamp': '1700000000.00000',
  'X-Container-Object-Count': '1',
  'X-Container-Bytes-Used': '64',
  'X-Storage-Policy': 'gold',
};

/** The answer, the right content, and whether the answer could be told to be wrong. */
interface Reading {
  readonly answer: Answer;
  readonly right: string;
  readonly isTold: boolean;
}

interface Ground {
  readonly swifts: readonly FakeSwift[];
  readonly gateway: Gateway;
  close(): Promise<void>;
}

async function gatewayOf(transport: SwiftTransport): Promise<Gateway> {
  return new Gateway(await openSwiftBackend({ transport, containerCacheMs: 60_000 }), 'AUTH_a');
}

const GROUNDS: Readonly<Record<string, () => Promise<Ground>>> = {
  'of a proxy': async () => {
    // Several, for what fails at one is asked of another at once.
    const fixture = await openFakes(4, { ejectAfter: 1_000 });
    for (const fake of fixture.fakes) fake.steps = [answer(200, '{"swift":{}}')];
    const gateway = await gatewayOf(fixture.transport);
    return { swifts: fixture.fakes, gateway, close: () => fixture.close() };
  },
  'of storage servers': async () => {
    const fixture = await openDirectFixture();
    const gateway = await gatewayOf(fixture.transport);
    return { swifts: fixture.nodes, gateway, close: () => fixture.close() };
  },
};

for (const [place, open] of Object.entries(GROUNDS)) {
  describe(`wrong bodies ${place}`, () => {
    const ground = useEach(() => open(), 'close');
    let count = 0;

    afterEach(async () => {
      await ground().gateway.close();
    });

    const read = async (
      content: Buffer,
      wrong: WrongBody | undefined,
      { query = '', range }: (typeof READS)[number],
    ): Promise<Reading> => {
      let right: Buffer = Buffer.alloc(0);
      let isTold = false;
      const step: Step = (request) => {
        const { method, url, response } = request;
        if (!url.includes('/bucket/')) return answer(204, '', CONTAINER)(request);
        if (method === 'HEAD') {
          const length = { 'Content-Length': String(content.length) };
          response.writeHead(200, { ...OBJECT, ...length }).end();
          return undefined;
        }
        const wanted = wantedOf(request, content.length);
        const served = rightAnswer(content, wanted);
        const told = wrong?.serve(served, content, wanted);
        // A storage server is asked for the rest of what another one cut.
        if (right.length === 0) right = served.body;
        isTold ||= told !== undefined;
        sendRaw(request, OBJECT, told ?? served);
        return undefined;
      };
      for (const swift of ground().swifts) swift.steps = [step];
      // The gateway remembers a storage server's answer for a name.
      count += 1;
      const line = `GET /bucket/${count}${query}`;
      const headers = range === undefined ? {} : { range };
      const given = await ground().gateway.send({ line, headers });
      return { answer: given, right: right.toString('latin1'), isTold };
    };

    for (const size of SIZES) {
      const content = contentOf(size);

      it(`are right ones where nothing is wrong, of ${size} bytes`, async () => {
        for (const each of READS) {
          const { answer: given, right } = await read(content, undefined, each);
          expect(given.text, JSON.stringify(each)).to.equal(right);
          expect([given.isCut, right.length > 0], JSON.stringify(each)).to.deep.equal([
            false,
            true,
          ]);
        }
      });

      for (const wrong of WRONG_BODIES) {
        it(`are never given on: ${wrong.name}, of ${size} bytes`, async () => {
          for (const each of wrong.isNoHttp === true ? READS.slice(0, 1) : READS) {
            const { answer: given, right, isTold } = await read(content, wrong, each);
            if (!isTold) continue;
            const what = `${JSON.stringify(each)}: ${given.status}`;
            const isError = given.status >= 500;
            expect(isError || given.isCut, what).to.equal(wrong.isHarmless !== true);
            // Of a body that had begun, only what is right of it.
            if (!isError) expect(right.startsWith(given.text), what).to.equal(true);
          }
        });
      }
    }
  });
}
