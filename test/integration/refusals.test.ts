import { expect } from 'chai';
import { readXml, S3TestClient, type S3Answer } from '../support/s3-client.js';
import type { Service } from '../support/service.js';
import { serviceOfSuites } from '../support/shared-service.js';

const REQUEST_ID = /^tx[0-9a-f]{21}-[0-9a-f]{10}$/;

describe('refusals over the wire', () => {
  let service: Service;
  let s3: S3TestClient;

  before(async () => {
    service = await serviceOfSuites();
    s3 = new S3TestClient(service);
    await s3.put('/refusals');
    await s3.put('/refusals/key', 'as it was');
  });

  after(async () => {
    expect((await s3.get('/refusals/key')).text, 'nothing has changed it').to.equal('as it was');
    const { text } = await s3.get('/refusals');
    expect(text.match(/<Key>/g), 'nothing else was stored').to.have.length(1);
    await s3.close();
    expect(await service.stop()).to.equal(0);
  });

  it('answers errors with the document of SPEC.md 7.1, and the id in header and body', async () => {
    const answer = await s3.get('/refusals/missing%3Ckey');
    expect(answer.headers['content-type']).to.equal('application/xml');
    const { Error: error } = readXml(answer.text) as { Error: Record<string, string> };
    expect(error).to.include({
      Code: 'NoSuchKey',
      Message: 'The specified key does not exist.',
      Key: 'missing<key',
    });
    expect(error.RequestId).to.match(REQUEST_ID);
    expect(answer.headers['x-amz-request-id']).to.equal(error.RequestId);
    expect(answer.headers).to.include.keys('x-amz-id-2', 'date', 'server');
    expect(answer.headers).to.not.have.property('uwebsockets');
  });

  it('answers HEAD without a body, and with the request id', async () => {
    const answer = await s3.head('/refusals/missing');
    expect([answer.status, answer.text]).to.deep.equal([404, '']);
    expect(answer.headers['x-amz-request-id']).to.match(REQUEST_ID);
  });

  for (const method of ['PUT', 'DELETE', 'POST', 'HEAD']) {
    it(`answers 405 to ${method} /, with ResourceType=SERVICE`, async () => {
      const answer = await s3.send({ method, path: '/' });
      expect(answer.status).to.equal(405);
      if (method === 'HEAD') return;
      expect(answer.code).to.equal('MethodNotAllowed');
      expect(answer.text).to.contain('<ResourceType>SERVICE</ResourceType>');
    });
  }

  for (const [method, path] of [
    ['GET', '/refusals?logging'],
    ['PUT', '/refusals?website'],
    ['GET', '/refusals?inventory'],
    ['GET', '/refusals?analytics&id=1'],
    ['PUT', '/refusals?replication'],
    ['GET', '/refusals?policy'],
    ['PUT', '/refusals?something-new'],
    ['GET', '/refusals/key?torrent'],
    ['PUT', '/refusals/key?something-new'],
  ] as const) {
    it(`answers 501 to ${method} ${path}`, async () => {
      expectError(await s3.send({ method, path }), 501, 'NotImplemented');
    });
  }

  it('answers InvalidObjectState to a restore while there is no cold tier', async () => {
    const restore = { method: 'POST', path: '/refusals/key?restore', body: '<RestoreRequest/>' };
    expectError(await s3.send(restore), 400, 'InvalidObjectState');
    const missing = { method: 'POST', path: '/refusals/missing?restore' };
    expectError(await s3.send(missing), 404, 'NoSuchKey');
  });

  it('answers 405 to a verb other than GET on ?uploads', async () => {
    const answer = await s3.send({ method: 'PUT', path: '/refusals?uploads' });
    expectError(answer, 405, 'MethodNotAllowed');
  });

  for (const [name, value] of [
    ['x-amz-server-side-encryption', 'AES256'],
    ['x-amz-acl', 'aws-exec-read'],
    ['x-amz-grant-everything', 'id="someone"'],
    ['x-amz-mfa', '123456 123456'],
    ['x-amz-website-redirect-location', '/elsewhere'],
    ['if-none-match', '"etag"'],
    ['if-unmodified-since', 'Thu, 01 Dec 1994 16:00:00 GMT'],
  ] as const) {
    it(`refuses a PUT that asks for ${name}: ${value}`, async () => {
      expectError(await s3.put('/refusals/key', 'over', { [name]: value }), 501, 'NotImplemented');
    });
  }

  it('refuses a PUT that asks for protection in its query, where nothing reads it', async () => {
    for (const query of ['x-amz-server-side-encryption=AES256', 'X-Amz-Acl=public-read']) {
      const answer = await s3.put(`/refusals/key?${query}`, 'over');
      expectError(answer, 501, 'NotImplemented');
      expect(answer.text).to.contain(`<Header>${query.split('=', 1)[0]?.toLowerCase()}</Header>`);
    }
  });

  it('answers every other unsigned request with 403', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/refusals'],
      ['GET', '/refusals/key'],
      ['PUT', '/refusals/key'],
      ['DELETE', '/refusals/key'],
      ['DELETE', '/refusals'],
    ] as const) {
      expectError(await s3.send({ method, path, signed: false }), 403, 'AccessDenied');
    }
  });

  it('tells a wrong key from a wrong secret by the code alone', async () => {
    const stranger = new S3TestClient({ ...service, accessKey: 'NOBODYSACCESSKEY' });
    expectError(await stranger.get('/refusals/key'), 403, 'InvalidAccessKeyId');
    const guesser = new S3TestClient({ ...service, secretKey: 'not-the-secret' });
    const answer = await guesser.get('/refusals/key');
    expectError(answer, 403, 'SignatureDoesNotMatch');
    expect(answer.text).to.not.contain(service.secretKey);
    await Promise.all([stranger.close(), guesser.close()]);
  });

  it('names the region that a signature should have named', async () => {
    const elsewhere = new S3TestClient(service, 'eu-west-1');
    const answer = await elsewhere.get('/refusals');
    expectError(answer, 400, 'AuthorizationHeaderMalformed');
    expect(answer.text).to.contain('<Region>us-east-1</Region>');
    await elsewhere.close();
  });

  for (const [what, path, code] of [
    ['percent-encoding cut short', '/refusals/%4', 'InvalidURI'],
    ['bytes that are no UTF-8', '/refusals/%ff', 'InvalidURI'],
    ['a NUL', '/refusals/%00', 'InvalidURI'],
    ['a key of 1025 bytes', `/refusals/${'k'.repeat(1025)}`, 'KeyTooLongError'],
    ['two subresources', '/refusals/key?acl&tagging', 'InvalidArgument'],
  ] as const) {
    it(`answers ${code} to ${what}`, async () => {
      for (const method of ['GET', 'PUT']) {
        // Such a path has no canonical form to sign; it is read before the signature anyway.
        expectError(await s3.send({ method, path, signed: false }), 400, code);
      }
    });
  }

  it('takes 2 KiB of metadata and no more', async () => {
    const fits = await s3.put('/refusals/meta', '', { 'x-amz-meta-a': 'v'.repeat(2047) });
    expect(fits.status).to.equal(200);
    await s3.delete('/refusals/meta');
    const over = await s3.put('/refusals/meta', '', { 'x-amz-meta-a': 'v'.repeat(2048) });
    expectError(over, 400, 'MetadataTooLarge');
  });
});

function expectError(answer: S3Answer, status: number, code: string): void {
  expect([answer.status, answer.code]).to.deep.equal([status, code]);
}
