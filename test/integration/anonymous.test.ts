import { expect } from 'chai';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';

/** SPEC.md 5.2, as docs/s3-compatibility.md says it. */
describe('unsigned requests', () => {
  let service: Service;
  let s3: S3TestClient;

  before(async () => {
    service = await startService({ listeners: 1, config: { anonymous_account: 'AUTH_main' } });
    s3 = new S3TestClient(service);
    expect((await s3.put('/private')).status).to.equal(200);
    expect((await s3.put('/private/key', 'secret')).status).to.equal(200);
  });

  after(async () => {
    expect((await s3.get('/private/key')).text, 'nothing has changed it').to.equal('secret');
    await s3.close();
    expect(await service.stop()).to.equal(0);
  });

  const unsigned = (method: string, path: string): Promise<S3Answer> =>
    s3.send({ method, path, signed: false });

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/private'],
    ['GET', '/private/'],
    ['GET', '/private?location'],
    ['GET', '/private/key'],
    ['GET', '/private/absent'],
    ['GET', '/absent-bucket'],
    ['GET', '/private/key?versionId=null'],
    ['PUT', '/private/key'],
    ['POST', '/private/key?uploads'],
    ['DELETE', '/private/key'],
    ['DELETE', '/private'],
    ['PUT', '/other'],
  ] as const) {
    it(`${method} ${path} is AccessDenied, and tells nothing of what is there`, async () => {
      const answer = await unsigned(method, path);
      expect([answer.status, answer.code]).to.deep.equal([403, 'AccessDenied']);
    });
  }

  it('HEAD is denied without a body', async () => {
    for (const path of ['/private', '/private/key', '/private/absent']) {
      const answer = await unsigned('HEAD', path);
      expect([answer.status, answer.text]).to.deep.equal([403, '']);
    }
  });

  it('may not choose headers of the response', async () => {
    const answer = await unsigned('GET', '/private/key?response-content-type=text%2Fhtml');
    expect([answer.status, answer.code]).to.deep.equal([400, 'InvalidRequest']);
    expect(answer.text).to.contain('cannot be used for anonymous GET requests');
  });
});
