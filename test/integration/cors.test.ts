import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';

const ORIGIN = 'https://app.example';

const RULES = `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <CORSRule>
    <ID>app</ID>
    <AllowedOrigin>${ORIGIN}</AllowedOrigin>
    <AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
    <AllowedMethod>HEAD</AllowedMethod><AllowedMethod>DELETE</AllowedMethod>
    <AllowedHeader>x-amz-*</AllowedHeader><AllowedHeader>Content-Type</AllowedHeader>
    <ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-request-id</ExposeHeader>
    <MaxAgeSeconds>600</MaxAgeSeconds>
  </CORSRule>
  <CORSRule>
    <AllowedOrigin>https://*.partner.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod>
  </CORSRule>
</CORSConfiguration>`;

describe('CORS over the wire', () => {
  const service = useOnce(startService, stopCleanly);
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/bucket');
    await s3().put('/plain');
    await s3().put('/bucket/key', '0123456789');
    expect((await s3().put('/bucket?cors', RULES)).status).to.equal(200);
  });

  const preflight = (path: string, method: string, more: Record<string, string> = {}) =>
    s3().send({
      method: 'OPTIONS',
      path,
      headers: { origin: ORIGIN, 'access-control-request-method': method, ...more },
      signed: false,
    });

  it('keeps, shows and removes the rules', async () => {
    expectError(await s3().get('/plain?cors'), 404, 'NoSuchCORSConfiguration');
    expect((await s3().put('/plain?cors', RULES)).status).to.equal(200);
    const shown = await s3().get('/plain?cors');
    expect([shown.status, shown.headers['content-type']]).to.deep.equal([200, 'application/xml']);
    expect(shown.text).to.contain('<AllowedOrigin>https://*.partner.example</AllowedOrigin>');
    expect(shown.text.match(/<CORSRule>/g)).to.have.length(2);
    expect((await s3().delete('/plain?cors')).status).to.equal(204);
    expect((await s3().delete('/plain?cors')).status, 'again').to.equal(204);
    expectError(await s3().get('/plain?cors'), 404, 'NoSuchCORSConfiguration');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await s3().send({
        method,
        path: '/absent?cors',
        body: method === 'PUT' ? RULES : '',
      });
      expectError(answer, 404, 'NoSuchBucket');
    }
  });

  it('refuses what is no configuration, and keeps the former one', async () => {
    const rule = (inner: string) =>
      `<CORSConfiguration><CORSRule>${inner}</CORSRule></CORSConfiguration>`;
    const origins = '<AllowedOrigin>*a*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>';
    const patch = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>PATCH</AllowedMethod>';
    for (const [body, code] of [
      ['', 'MalformedXML'],
      ['<CORSConfiguration/>', 'MalformedXML'],
      ['<!DOCTYPE a><CORSConfiguration/>', 'MalformedXML'],
      [rule(origins), 'InvalidRequest'],
      [rule(patch), 'InvalidRequest'],
      [
        `<CORSConfiguration>${' '.repeat(64 * 1024)}</CORSConfiguration>`,
        'MaxMessageLengthExceeded',
      ],
      [
        rule(
          `<AllowedOrigin><![CDATA[${'&'.repeat(60_000)}]]></AllowedOrigin><AllowedMethod>GET</AllowedMethod>`,
        ),
        'MaxMessageLengthExceeded',
      ],
    ] as const) {
      expectError(await s3().put('/bucket?cors', body), 400, code);
    }
    expect((await s3().get('/bucket?cors')).text).to.contain('<ID>app</ID>');
  });

  it('answers a preflight without a signature', async () => {
    const answer = await preflight('/bucket/new', 'PUT', {
      'access-control-request-headers': 'content-type, X-Amz-Meta-Colour',
    });
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    expect(answer.headers).to.include({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, PUT, HEAD, DELETE',
      'access-control-allow-headers': 'content-type, x-amz-meta-colour',
      'access-control-expose-headers': 'ETag, x-amz-request-id',
      'access-control-max-age': '600',
      'access-control-allow-credentials': 'true',
    });
    expect(answer.headers.vary).to.contain('Origin');
  });

  for (const [what, path, method, headers, status, code] of [
    [
      'another origin',
      '/bucket/key',
      'GET',
      { origin: 'https://evil.example' },
      403,
      'AccessForbidden',
    ],
    [
      'a header that no rule allows',
      '/bucket/key',
      'PUT',
      { 'access-control-request-headers': 'x-other' },
      403,
      'AccessForbidden',
    ],
    [
      'a method of another rule',
      '/bucket/key',
      'PUT',
      { origin: 'https://a.partner.example' },
      403,
      'AccessForbidden',
    ],
    ['a method that S3 does not have', '/bucket/key', 'PATCH', {}, 400, 'BadRequest'],
    ['a bucket without rules', '/plain/key', 'GET', {}, 403, 'AccessForbidden'],
    ['a bucket that is not there', '/absent/key', 'GET', {}, 403, 'AccessForbidden'],
  ] as const) {
    it(`refuses a preflight of ${what}`, async () => {
      const answer = await preflight(path, method, headers);
      expectError(answer, status, code);
      expect(answer.headers).to.not.have.property('access-control-allow-origin');
    });
  }

  it('refuses OPTIONS that is no preflight', async () => {
    const answer = await s3().send({ method: 'OPTIONS', path: '/bucket/key', signed: false });
    expectError(answer, 400, 'BadRequest');
  });

  it('lets a preflight carry the query of what it asks for', async () => {
    for (const query of ['?partNumber=1&uploadId=u', '?acl', '?versionId=null', '?nonsense']) {
      expect((await preflight(`/bucket/key${query}`, 'PUT')).status, query).to.equal(200);
    }
  });

  const long = 'k'.repeat(1025);
  for (const [method, path, status, signed] of [
    ['GET', '/bucket/key', 200, true],
    ['HEAD', '/bucket/key', 200, true],
    ['GET', '/bucket', 200, true],
    ['PUT', '/bucket/other', 200, true],
    ['DELETE', '/bucket/other', 204, true],
    ['GET', '/bucket/absent', 404, true],
    ['HEAD', '/bucket/absent', 404, true],
    ['GET', '/bucket?policy', 501, true],
    ['GET', '/bucket?max-keys=x', 400, true],
    ['DELETE', '/bucket', 409, true],
    ['GET', '/bucket/key', 403, false],
    ['GET', `/bucket/${long}`, 400, false],
    ['GET', '/bucket/key?acl&tagging', 400, false],
    ['PUT', '/bucket?location', 405, false],
  ] as const) {
    const sent = `${signed ? '' : 'unsigned '}${method} ${path.slice(0, 30)}`;
    it(`has the headers on ${status} to ${sent}`, async () => {
      const answer = await s3().send({ method, path, headers: { origin: ORIGIN }, signed });
      expect(answer.status).to.equal(status);
      expect(answer.headers['access-control-allow-origin']).to.equal(ORIGIN);
      expect(answer.headers['access-control-expose-headers']).to.equal('ETag, x-amz-request-id');
      expect(answer.headers.vary).to.contain('Origin');
    });
  }

  it('has the headers on what ranges and conditions make of a GET', async () => {
    const { etag = '' } = (await s3().head('/bucket/key')).headers;
    for (const [name, value, status] of [
      ['range', 'bytes=2-4', 206],
      ['range', 'bytes=20-', 416],
      ['if-none-match', etag, 304],
      ['if-match', '"other"', 412],
    ] as const) {
      const answer = await s3().get('/bucket/key', { origin: ORIGIN, [name]: value });
      expect(answer.status).to.equal(status);
      expect(answer.headers['access-control-allow-origin']).to.equal(ORIGIN);
    }
  });

  it('has the headers on the answer that removes the bucket', async () => {
    await s3().put('/gone');
    await s3().put('/gone?cors', RULES);
    const answer = await s3().delete('/gone', { origin: ORIGIN });
    expect(answer.status).to.equal(204);
    expect(answer.headers['access-control-allow-origin']).to.equal(ORIGIN);
    expectError(await preflight('/gone', 'GET'), 403, 'AccessForbidden');
  });

  it('keeps the answer from pages of other origins, and says that it varies', async () => {
    const answer = await s3().get('/bucket/key', { origin: 'https://evil.example' });
    expect(answer.status).to.equal(200);
    expect(answer.headers).to.not.have.property('access-control-allow-origin');
    expect(answer.headers.vary).to.contain('Origin');
  });

  it('says nothing without an origin, or without rules', async () => {
    for (const [path, headers] of [
      ['/bucket/key', {}],
      ['/plain', { origin: ORIGIN }],
      ['/', { origin: ORIGIN }],
    ] as const) {
      const answer = await s3().get(path, headers);
      expect(answer.status).to.equal(200);
      const names = Object.keys(answer.headers).filter((name) => /^(access-|vary)/.test(name));
      expect(names).to.deep.equal([]);
    }
  });

  it('goes by changed rules at once, in every process', async () => {
    await s3().put('/changing');
    for (let round = 0; round < 10; round++) {
      const origin = `https://round-${round}.example`;
      const rules = `<CORSConfiguration><CORSRule><AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;
      expect((await s3().put('/changing?cors', rules)).status).to.equal(200);
      const other = new S3TestClient(service());
      const asked = { origin, 'access-control-request-method': 'GET' };
      const answer = await other.send({
        method: 'OPTIONS',
        path: '/changing/key',
        headers: asked,
        signed: false,
      });
      expect(answer.headers['access-control-allow-origin']).to.equal(origin);
      await other.close();
    }
  });
});

function expectError(answer: S3Answer, status: number, code: string): void {
  expect([answer.status, answer.code]).to.deep.equal([status, code]);
}
