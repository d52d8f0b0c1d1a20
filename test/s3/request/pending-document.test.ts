import { expect } from 'chai';
import type { ByteSource } from '../../../src/lib/cancellation.js';
import { settleOrStream } from '../../../src/s3/request/pending-document.js';
import { closeEdges, startEdge } from '../../http/support/edge.js';
import { failureOf } from '../../support/failure.js';
import { until } from '../../support/until.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const DOCUMENT = `${DECLARATION}<Done/>`;
/** Longer than any test. */
const HOUR_MS = 3_600_000;
const PATIENT = { silenceMs: HOUR_MS, intervalMs: HOUR_MS };
const SOON = { silenceMs: 1, intervalMs: 1 };

/** As the pipeline makes it. */
function failed(error: unknown): string {
  return `${DECLARATION}<Error>${(error as Error).message}</Error>`;
}

function neverFails(): string {
  throw new Error('this is no late failure');
}

function settle(
  document: Parameters<typeof settleOrStream>[0]['document'],
  ...others: [onFailure: (error: unknown) => string, patience: typeof SOON]
): ReturnType<typeof settleOrStream> {
  return settleOrStream({ declaration: DECLARATION, document }, ...others);
}

/** A promise to be settled by the test. */
function deferred() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const document = new Promise<string>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { document, resolve, reject };
}

/** Reads up to the second piece of white space, settles, and reads the rest. */
async function readAcross(stream: string | ByteSource, settle: () => void): Promise<string[]> {
  if (typeof stream === 'string') throw new Error('it was not late');
  const pieces: string[] = [];
  for await (const chunk of stream) {
    pieces.push(chunk.toString());
    if (pieces.length === 3) settle();
  }
  return pieces;
}

describe('s3: documents that take their time', () => {
  it('are sent whole when they do not', async () => {
    const settled = await settle(Promise.resolve(DOCUMENT), neverFails, PATIENT);
    expect(settled).to.deep.equal({ body: DOCUMENT, headers: [] });
  });

  it('bring headers when they do not', async () => {
    const headers = [['x-amz-version-id', 'null']] as const;
    const document = Promise.resolve({ document: DOCUMENT, headers });
    const settled = await settle(document, neverFails, PATIENT);
    expect(settled).to.deep.equal({ body: DOCUMENT, headers });
  });

  it('fail as anything else when they fail at once', async () => {
    const error = new Error('early');
    const settled = settle(Promise.reject(error), neverFails, PATIENT);
    expect(await failureOf(settled)).to.equal(error);
  });

  it('begin with the declaration and white space when they are late', async () => {
    const { document, resolve } = deferred();
    const { body: stream } = await settle(document, neverFails, SOON);
    const pieces = await readAcross(stream, () => {
      resolve(DOCUMENT);
    });
    expect(pieces[0]).to.equal(DECLARATION);
    expect(pieces.at(-1)).to.equal('<Done/>');
    expect(pieces.slice(1, -1).join('')).to.match(/^\n+$/);
  });

  it('tell of a late failure in their place', async () => {
    const { document, reject } = deferred();
    const { body: stream } = await settle(document, failed, SOON);
    const pieces = await readAcross(stream, () => {
      reject(new Error('late'));
    });
    expect(pieces[0]).to.equal(DECLARATION);
    expect(pieces.at(-1)).to.equal('<Error>late</Error>');
  });

  it('keep a connection alive: what is known goes out at once', async () => {
    const { document, resolve } = deferred();
    const edge = await startEdge(async (exchange) => {
      const { body } = await settle(document, neverFails, SOON);
      await exchange.respond({ status: 200, headers: [], body });
    });
    try {
      const client = await edge.connect();
      const answer = client.get('/');
      let received = 0;
      client.socket.on('data', (data) => {
        received += data.toString('latin1').split('\n').length - 1;
      });
      // More lines than head and declaration have, long before there is a document.
      await until(() => received > 50);
      resolve(DOCUMENT);
      const { status, body } = await answer;
      expect(status).to.equal(200);
      expect(body.toString()).to.match(/^<\?xml [^\n]*\?>\n+<Done\/>$/);
    } finally {
      closeEdges();
    }
  });

  it('may fail after the reader has left', async () => {
    const { document, reject } = deferred();
    const { body: stream } = await settle(document, failed, SOON);
    if (typeof stream === 'string') throw new Error('it was not late');
    for await (const chunk of stream) {
      if (chunk.toString() === '\n') break;
    }
    reject(new Error('nobody reads this'));
    // An unhandled rejection would end the process.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
