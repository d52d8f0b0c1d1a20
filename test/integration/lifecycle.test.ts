import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';

const RULES =
  '<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  '<Rule><ID>logs &amp; "more"</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status>' +
  '<Expiration><Days>10</Days></Expiration></Rule>' +
  '<Rule><ID>tagged</ID><Filter><Tag><Key>temporary</Key><Value>yes</Value></Tag></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>' +
  '</LifecycleConfiguration>';

const DAY_MS = 86_400_000;

describe('lifecycle rules over the wire', () => {
  // One listener: what a change does to the others takes five seconds, and is tested elsewhere.
  const service = useOnce(
    () => startService({ listeners: 1, config: { region: 'us-east-1' } }),
    stopCleanly,
  );
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/ruled');
  });

  it('are kept, replaced and deleted', async () => {
    const put = await s3().put('/ruled?lifecycle', RULES);
    expect([put.status, put.text]).to.deep.equal([200, '']);
    const got = await s3().get('/ruled?lifecycle');
    expect([got.status, got.headers['content-type']]).to.deep.equal([200, 'application/xml']);
    expect(got.text.replace(/^<\?.*\?>\n/, '').replaceAll('&quot;', '"')).to.equal(RULES);

    expect((await s3().put('/ruled?lifecycle', RULES.replace('10', '20'))).status).to.equal(200);
    expect((await s3().get('/ruled?lifecycle')).text).to.include('<Days>20</Days>');

    expect((await s3().delete('/ruled?lifecycle')).status).to.equal(204);
    expect((await s3().delete('/ruled?lifecycle')).status).to.equal(204);
    const gone = await s3().get('/ruled?lifecycle');
    expect([gone.status, gone.code]).to.deep.equal([404, 'NoSuchLifecycleConfiguration']);
    expect(gone.text).to.include('<BucketName>ruled</BucketName>');
  });

  it('change nothing when they are refused', async () => {
    await s3().put('/ruled?lifecycle', RULES);
    for (const [body, code] of [
      ['', 'MalformedXML'],
      ['<LifecycleConfiguration/>', 'MalformedXML'],
      [RULES.replace('>10<', '>0<'), 'InvalidArgument'],
      [RULES.replace('tagged', 'logs &amp; "more"'), 'InvalidArgument'],
      ['x'.repeat(1024 * 1024 + 1), 'MaxMessageLengthExceeded'],
    ] as const) {
      const answer = await s3().put('/ruled?lifecycle', body);
      expect([answer.status, answer.code], body.slice(0, 300)).to.deep.equal([400, code]);
    }
    expect((await s3().get('/ruled?lifecycle')).text).to.include('<Days>10</Days>');
  });

  it('are not found in a bucket that is not there', async () => {
    expect((await s3().put('/absent?lifecycle', RULES)).code).to.equal('NoSuchBucket');
    expect((await s3().get('/absent?lifecycle')).code).to.equal('NoSuchBucket');
    expect((await s3().delete('/absent?lifecycle')).code).to.equal('NoSuchBucket');
  });

  it('say in x-amz-expiration when an object goes', async () => {
    await s3().put('/ruled?lifecycle', RULES);
    const put = await s3().put('/ruled/logs/a', 'body');
    const tagged = await s3().put('/ruled/other', 'body', { 'x-amz-tagging': 'temporary=yes' });
    const plain = await s3().put('/ruled/plain', 'body');
    const { headers } = await s3().head('/ruled/logs/a');
    const expected = (days: number, id: string): string => {
      const midnight = Math.floor(Date.parse(headers['last-modified'] ?? '') / DAY_MS);
      const date = new Date((midnight + days + 1) * DAY_MS).toUTCString();
      return `expiry-date="${date}", rule-id="${id}"`;
    };
    const logs = expected(10, 'logs & %22more%22');
    const ranged = await s3().get('/ruled/logs/a', { range: 'bytes=0-1' });
    for (const answer of [put, await s3().head('/ruled/logs/a'), ranged]) {
      expect(answer.headers['x-amz-expiration']).to.equal(logs);
    }
    for (const answer of [tagged, await s3().get('/ruled/other')]) {
      expect(answer.headers['x-amz-expiration']).to.equal(expected(1, 'tagged'));
    }
    for (const answer of [plain, await s3().get('/ruled/plain')]) {
      expect([answer.status, answer.headers['x-amz-expiration']]).to.deep.equal([200, undefined]);
    }
    await s3().delete('/ruled?lifecycle');
    expect((await s3().head('/ruled/logs/a')).headers).not.to.have.property('x-amz-expiration');
  });

  it('say in x-amz-abort-date when an upload ends', async () => {
    const abort = '<AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>';
    const body = RULES.replace(
      '<Expiration><Days>10</Days></Expiration>',
      `${abort}</AbortIncompleteMultipartUpload>`,
    );
    expect((await s3().put('/ruled?lifecycle', body)).status).to.equal(200);
    const begin = (key: string) => s3().send({ method: 'POST', path: `/ruled/${key}?uploads` });
    const created = await begin('logs/upload');
    const [, id = ''] = /<UploadId>(.*)<\/UploadId>/.exec(created.text) ?? [];
    const listed = await s3().get(`/ruled/logs/upload?uploadId=${id}`);
    const days = Math.floor(Date.parse(created.headers.date ?? '') / DAY_MS) + 3 + 1;
    for (const { status, headers } of [created, listed]) {
      expect(status).to.equal(200);
      expect(headers['x-amz-abort-date']).to.equal(new Date(days * DAY_MS).toUTCString());
      expect(headers['x-amz-abort-rule-id']).to.equal('logs & %22more%22');
    }
    expect((await begin('else')).headers).not.to.have.property('x-amz-abort-date');
  });
});
