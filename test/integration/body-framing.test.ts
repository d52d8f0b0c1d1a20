import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { RawClient, type RawResponse } from '../support/raw-http.js';
import { readXml, S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';
import { sha256Hex, signHeaders, unsignedChunks, UNSIGNED } from '../support/sigv4.js';

const MD5_OF_NOTHING = '1B2M2Y8AsgTpgAmY7PhCfg==';

/** How the end of a request's body is told, on a raw connection. */
describe('framing of request bodies', () => {
  const service = useOnce(startService, stopCleanly);
  const s3 = useOnce(() => new S3TestClient(service()), 'close');
  let uploadId: string;
  const open: RawClient[] = [];

  before(async () => {
    await s3().put('/framing');
    await s3().put('/framing/kept', 'as it was');
    const begun = await s3().send({ method: 'POST', path: '/framing/new?uploads' });
    uploadId = /<UploadId>(.*)<\/UploadId>/.exec(begun.text)?.[1] ?? '';
  });

  afterEach(() => {
    for (const client of open.splice(0)) client.destroy();
  });

  async function connect(): Promise<RawClient> {
    const client = await RawClient.connect(Number(new URL(service().endpoint).port));
    open.push(client);
    return client;
  }

  /** A signed header block that says of the body's end what it is told to. */
  function head(
    method: string,
    path: string,
    framing: Readonly<Record<string, string>> = {},
    contentSha256 = UNSIGNED,
    more: Readonly<Record<string, string>> = {},
  ): string {
    const [rawPath = '', rawQuery = ''] = path.split('?');
    const signed = signHeaders(
      { ...service(), region: 'us-east-1' },
      { method, rawPath, rawQuery, headers: { host: new URL(service().endpoint).host, ...more } },
      new Date(),
      contentSha256,
    );
    const lines = Object.entries({ ...signed, ...framing }).map(([n, v]) => `${n}: ${v}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  }

  function errorOf({ body }: RawResponse): Record<string, string> {
    return (readXml(body.toString()) as { Error: Record<string, string> }).Error;
  }

  it("that go on behind Content-Length end in the HTTP library's own answer, and a close", async () => {
    const client = await connect();
    client.send(`${head('PUT', '/framing/long', { 'content-length': '5' })}hello and more`);
    expect((await client.lastResponse()).status).to.equal(505);
  });

  it('that say both Content-Length and Transfer-Encoding are refused', async () => {
    const client = await connect();
    const both = { 'content-length': '5', 'transfer-encoding': 'chunked' };
    client.send(`${head('PUT', '/framing/both', both)}5\r\nhello\r\n0\r\n\r\n`);
    // The HTTP library's own answer.
    expect((await client.lastResponse()).status).to.equal(400);
    expect((await s3().head('/framing/both')).status).to.equal(404);
  });

  describe('in chunks', () => {
    const CHUNKED = { 'transfer-encoding': 'chunked' };
    const LONG = Buffer.alloc(300_000, 'long ');
    const ends = '0\r\n\r\n';

    function chunk(bytes: Buffer): Buffer {
      const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
      return Buffer.concat([size, bytes, Buffer.from('\r\n')]);
    }

    async function put(
      path: string,
      bytes: Buffer,
      more: Readonly<Record<string, string>> = {},
      contentSha256 = UNSIGNED,
    ): Promise<RawResponse> {
      const client = await connect();
      client.send(head('PUT', path, CHUNKED, contentSha256, more));
      for (let at = 0; at < bytes.length; at += 70_000) {
        client.send(chunk(bytes.subarray(at, at + 70_000)));
      }
      client.send(ends);
      return client.readResponse();
    }

    it('are stored, whatever their length', async () => {
      for (const bytes of [Buffer.alloc(0), Buffer.from('short'), LONG]) {
        const answer = await put('/framing/chunked', bytes, { 'x-amz-meta-a': '1' });
        expect(answer.status, answer.body.toString()).to.equal(200);
        const got = await s3().get('/framing/chunked');
        expect(got.text).to.equal(bytes.toString());
        expect(got.headers).to.include({
          'content-length': String(bytes.length),
          'x-amz-meta-a': '1',
          etag: answer.values('etag')[0],
        });
      }
    });

    it('are parts of uploads, and versions', async () => {
      const part = await put(`/framing/new?partNumber=7&uploadId=${uploadId}`, LONG);
      expect(part.status, part.body.toString()).to.equal(200);
      const parts = await s3().get(`/framing/new?uploadId=${uploadId}`);
      expect(parts.text).to.contain(`<Size>${LONG.length}</Size>`);

      await s3().put('/framing-versions');
      const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
      await s3().put('/framing-versions?versioning', enabled);
      const version = await put('/framing-versions/v', LONG);
      expect(version.values('x-amz-version-id')).to.have.length(1);
      const versions = await s3().get('/framing-versions?versions');
      expect(versions.text).to.contain(`<Size>${LONG.length}</Size>`);
    });

    it('are looked at as others are: conditions, digests, checksums', async () => {
      const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string?])[] = [
        ['PreconditionFailed', { 'if-none-match': '*' }],
        ['BadDigest', { 'content-md5': MD5_OF_NOTHING }],
        ['BadDigest', { 'x-amz-checksum-crc32': 'AAAAAA==' }],
        ['XAmzContentSHA256Mismatch', {}, sha256Hex('other')],
      ];
      for (const bytes of [Buffer.from('short'), LONG]) {
        for (const [code, headers, sha256] of wrong) {
          const answer = await put('/framing/kept', bytes, headers, sha256);
          expect(errorOf(answer).Code).to.equal(code);
          expect((await s3().get('/framing/kept')).text).to.equal('as it was');
        }
        const right = await put('/framing/signed', bytes, {}, sha256Hex(bytes));
        expect(right.status, right.body.toString()).to.equal(200);
        const created = await put(`/framing/created-${bytes.length}`, bytes, {
          'if-none-match': '*',
        });
        expect(created.status, created.body.toString()).to.equal(200);
      }
    });

    it('may be aws-chunked within', async () => {
      const mode = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
      const framed = unsignedChunks([LONG.subarray(0, 100_000), LONG.subarray(100_000)]);
      const length = { 'x-amz-decoded-content-length': String(LONG.length) };
      const answer = await put('/framing/twice', framed, length, mode);
      expect(answer.status, answer.body.toString()).to.equal(200);
      expect((await s3().get('/framing/twice')).text).to.equal(LONG.toString());
    });

    for (const [what, end] of [
      ['that end before their last chunk', undefined],
      ['that end within a chunk', 'ffff\r\nnot all of it'],
      ['whose framing is garbage', 'no number\r\ngarbage\r\n'],
    ] as const) {
      it(`${what} leave what was there`, async () => {
        for (const bytes of [Buffer.from('short'), LONG]) {
          for (const [path, status] of [
            ['/framing/kept', 200],
            ['/framing/never', 404],
          ] as const) {
            const client = await connect();
            client.send(head('PUT', path, CHUNKED));
            client.send(chunk(bytes));
            if (end !== undefined) client.send(end);
            client.socket.end();
            expect((await client.untilClosed()).toString()).to.not.match(/^HTTP\/1\.1 2/);
            const after = await s3().get(path);
            expect(after.status).to.equal(status);
            if (status === 200) expect(after.text).to.equal('as it was');
          }
        }
      });
    }
  });

  describe('that say neither Content-Length nor Transfer-Encoding', () => {
    const REQUIRED: readonly (readonly [method: string, path: string])[] = [
      ['PUT', '/framing/new'],
      ['PUT', '/framing/new?partNumber=1&uploadId=UPLOAD'],
      ['POST', '/framing/new?uploadId=UPLOAD'],
      ['POST', '/framing?delete'],
      ['PUT', '/framing?tagging'],
      ['PUT', '/framing?cors'],
      ['PUT', '/framing?lifecycle'],
      ['PUT', '/framing?versioning'],
      ['PUT', '/framing?object-lock'],
      ['PUT', '/framing/kept?tagging'],
    ];
    for (const [method, path] of REQUIRED) {
      it(`are refused with 411 for ${method} ${path}, and the connection ends`, async () => {
        const client = await connect();
        const named = path.replace('UPLOAD', uploadId);
        // DeleteObjects asks for a digest of the body first.
        client.send(head(method, named, {}, UNSIGNED, { 'content-md5': MD5_OF_NOTHING }));
        const answer = await client.readResponse();
        expect([answer.status, errorOf(answer).Code]).to.deep.equal([411, 'MissingContentLength']);
        expect(answer.values('connection')).to.deep.equal(['close']);
        expect(await client.untilClosed()).to.have.length(0);
      });
    }

    it('store nothing, and what follows is no request', async () => {
      const client = await connect();
      client.send(`${head('PUT', '/framing/new')}${head('DELETE', '/framing/kept')}`);
      expect((await client.untilClosed()).toString()).to.not.match(/HTTP\/1\.1 2/);
      expect((await s3().head('/framing/new')).status).to.equal(404);
      expect((await s3().get('/framing/kept')).text).to.equal('as it was');
    });

    it('are taken where the operation does without a body', async () => {
      for (const [method, path, more] of [
        ['PUT', '/framing-other', {}],
        ['PUT', '/framing-other?acl', { 'x-amz-acl': 'private' }],
        ['PUT', '/framing/kept?acl', { 'x-amz-acl': 'private' }],
        ['PUT', '/framing/copy', { 'x-amz-copy-source': '/framing/kept' }],
        ['POST', '/framing/upload?uploads', {}],
        ['DELETE', '/framing/copy', {}],
      ] as const) {
        const client = await connect();
        client.send(head(method, path, {}, sha256Hex(''), more));
        const { status } = await client.readResponse();
        expect(status, `${method} ${path}`).to.be.oneOf([200, 204]);
      }
    });
  });
});
