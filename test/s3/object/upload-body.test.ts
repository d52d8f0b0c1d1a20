import { expect } from 'chai';
import type { Payload } from '../../../src/s3/auth/payload-plan.js';
import { requireUploadable, uploadBody } from '../../../src/s3/object/upload-body.js';
import { S3Error } from '../../../src/s3/errors.js';
import { failureOf } from '../../support/failure.js';

const CHUNKS = ['one', 'two', 'three'].map((text) => Buffer.from(text));

function payloadOf(size: number | undefined, left = { count: 0 }): Payload {
  return {
    size,
    takesMd5: false,
    get source() {
      return (async function* () {
        try {
          for (const chunk of CHUNKS) yield await Promise.resolve(chunk);
        } finally {
          left.count++;
        }
      })();
    },
    collect: () => Promise.resolve(Buffer.concat(CHUNKS)),
    digests: () => ({}),
  };
}

async function textOf(body: Buffer | AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of Buffer.isBuffer(body) ? [body] : body) text += chunk.toString();
  return text;
}

/** @returns why a body is refused that is said to have this size */
function refusal(size: number | undefined, unsizedBodies: boolean): string | undefined {
  try {
    requireUploadable({ size }, { unsizedBodies });
    return undefined;
  } catch (error) {
    return (error as S3Error).code;
  }
}

describe('bodies of uploads', () => {
  it('are counted where their length was not announced', async () => {
    const { size, body, received } = await uploadBody(payloadOf(undefined), 11);
    expect([size, await textOf(body), received()]).to.deep.equal([undefined, 'onetwothree', 11]);
    const known = await uploadBody(payloadOf(11), 11);
    expect([known.size, known.received()]).to.deep.equal([11, 11]);
  });

  it('fail where they go on for too long, and are let go of', async () => {
    const left = { count: 0 };
    const { body } = await uploadBody(payloadOf(undefined, left), 10);
    const { code, details } = await failureOf(textOf(body), S3Error);
    expect(code).to.equal('EntityTooLarge');
    expect(details).to.include({ MaxSizeAllowed: '10', ProposedSize: '11' });
    expect(left.count).to.equal(1);
  });

  it('are refused unread by what is said of them', () => {
    const GIB_5 = 5 * 1024 ** 3;
    expect(refusal(GIB_5 + 1, true)).to.equal('EntityTooLarge');
    expect(refusal(GIB_5, false)).to.equal(undefined);
    expect(refusal(undefined, true)).to.equal(undefined);
    expect(refusal(undefined, false)).to.equal('MissingContentLength');
  });
});
