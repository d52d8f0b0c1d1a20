import { expect } from 'chai';
import { MIB, partList, patternBytes, useUploadBench } from './multipart-bench.js';

describe('parts of finished objects over the wire', () => {
  const bench = useUploadBench();
  const bodies = [patternBytes(5 * MIB, 1), patternBytes(5 * MIB + 9, 2), Buffer.alloc(0)];
  before(async () => {
    const uploadId = await bench.create('/parts/object');
    const etags: string[] = [];
    for (const [index, body] of bodies.entries()) {
      etags.push(await bench.part('/parts/object', uploadId, index + 1, body));
    }
    await bench.complete('/parts/object', uploadId, partList(etags));
    await bench.s3.put('/parts/plain', 'in one piece');
  });

  it('are read one by one, with how many there are', async () => {
    const size = bodies.reduce((sum, body) => sum + body.length, 0);
    const second = `bytes ${5 * MIB}-${10 * MIB + 8}/${size}`;
    for (const method of ['GET', 'HEAD']) {
      const answer = await bench.s3.send({ method, path: '/parts/object?partNumber=2' });
      expect(answer.status).to.equal(206);
      expect(answer.headers).to.include({
        'content-range': second,
        'content-length': String(5 * MIB + 9),
        'x-amz-mp-parts-count': '3',
      });
      if (method === 'GET') expect(answer.body.equals(bodies[1] ?? Buffer.alloc(0))).to.equal(true);
    }
    const empty = await bench.s3.get('/parts/object?partNumber=3');
    expect([empty.status, empty.body.length]).to.deep.equal([200, 0]);
  });

  it('are one where an object was not uploaded in parts', async () => {
    const answer = await bench.s3.get('/parts/plain?partNumber=1');
    expect([answer.status, answer.text]).to.deep.equal([206, 'in one piece']);
    expect(answer.headers).to.include({ 'content-range': 'bytes 0-11/12' });
    expect(answer.headers).not.to.have.property('x-amz-mp-parts-count');
  });

  for (const [path, headers, status, code] of [
    ['/parts/object?partNumber=4', {}, 416, 'InvalidPartNumber'],
    ['/parts/plain?partNumber=2', {}, 416, 'InvalidPartNumber'],
    ['/parts/object?partNumber=0', {}, 400, 'InvalidArgument'],
    ['/parts/object?partNumber=1', { range: 'bytes=0-1' }, 400, 'InvalidRequest'],
    ['/parts/object?partNumber=1', { 'if-match': '"x"' }, 412, 'PreconditionFailed'],
    ['/parts/missing?partNumber=1', {}, 404, 'NoSuchKey'],
  ] as const) {
    it(`answer ${code} to ${path} ${JSON.stringify(headers)}`, async () => {
      const answer = await bench.s3.get(path, { ...headers });
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });
  }

  it('are not sent to whom they have not changed for', async () => {
    const { headers } = await bench.s3.head('/parts/object');
    const condition = { 'if-none-match': headers.etag ?? '' };
    const answer = await bench.s3.get('/parts/object?partNumber=1', condition);
    expect([answer.status, answer.body.length]).to.deep.equal([304, 0]);
  });
});
