import { expect } from 'chai';
import { request } from 'undici';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService } from '../support/service.js';
import { seedOf, signedChunks, Signer, signHeaders } from '../support/sigv4.js';
import { fuzzPlan, replayHint } from './plan.js';
import { caseRandom, type SeededRandom } from './random.js';

const CASES = 150;
const CHUNKS = [Buffer.alloc(900, 'first '), Buffer.alloc(300, 'second '), Buffer.from('last')];
const WHOLE = Buffer.concat(CHUNKS);
const BEFORE = 'what was there before';

/** One byte more, less or other, or an end too early. */
function damage(body: Buffer, random: SeededRandom): Buffer {
  const at = random.integer(body.length);
  const byte = Buffer.from([random.pick([0, 10, 13, 48, 59, 61, 102, random.integer(256)])]);
  const [head, tail] = [body.subarray(0, at), body.subarray(at)];
  switch (random.integer(4)) {
    case 0:
      return Buffer.concat([head, byte, tail]);
    case 1:
      return Buffer.concat([head, tail.subarray(1)]);
    case 2:
      return Buffer.concat([head, byte, tail.subarray(1)]);
    default:
      return head;
  }
}

describe('damaged aws-chunked uploads', () => {
  const service = useOnce(startService, 'stop');
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/fuzz');
    await s3().put('/fuzz/key', BEFORE);
  });

  async function upload(random: SeededRandom): Promise<number> {
    const { accessKey, secretKey, endpoint } = service();
    const identity = { accessKey, secretKey, region: 'us-east-1' };
    const date = new Date();
    const headers = signHeaders(
      identity,
      {
        method: 'PUT',
        rawPath: '/fuzz/key',
        headers: {
          host: endpoint.slice('http://'.length),
          'x-amz-decoded-content-length': String(WHOLE.length),
        },
      },
      date,
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    );
    const chunks = signedChunks(new Signer(identity, date), seedOf(headers.authorization!), CHUNKS);
    const body = damage(chunks, random);
    const answer = await request(`${endpoint}/fuzz/key`, { method: 'PUT', headers, body });
    await answer.body.dump();
    return answer.statusCode;
  }

  it('store all that was signed, or nothing', async function () {
    const { seed, first, cases } = fuzzPlan(CASES);
    this.timeout(60_000 + cases * 200);
    const children = service().pids();
    for (let index = first; index < first + cases; index++) {
      const status = await upload(caseRandom(seed, index));
      const { body } = await s3().get('/fuzz/key');
      const expected = status === 200 ? WHOLE : Buffer.from(BEFORE);
      expect(body.equals(expected), `${status}; ${replayHint(seed, index)}`).to.equal(true);
      if (status === 200) await s3().put('/fuzz/key', BEFORE);
      else expect(status, replayHint(seed, index)).to.be.within(400, 499);
    }
    expect(service().pids()).to.deep.equal(children);
  });
});
