import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { BROWSER_LIMIT_MS, sharedBrowser } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { serve, type Served } from '../support/serve.js';
import { startService } from '../support/service.js';

const BUCKET = 'uploads';
const URL_VALID_S = 300;

/** A page's view of an answer; `blocked` is all that it is told of one it may not read. */
interface Seen {
  readonly status: number | 'blocked';
  readonly text: string;
  readonly etag: string | null;
  readonly requestId: string | null;
}

describeWith([program('chromium')], 'a page in Chromium, on another origin', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const service = useOnce(startService, 'stop');
  const s3 = useOnce(() => {
    const { endpoint, accessKey: accessKeyId, secretKey: secretAccessKey } = service();
    return new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      // A presigned URL cannot know the checksum of what will be uploaded with it.
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }, 'destroy');
  /** The origin that the rules name, and another one. */
  const our = useOnce(startSite, 'close');
  const their = useOnce(startSite, 'close');
  const context = useOnce(async () => (await sharedBrowser()).newContext(), 'close');
  let ours: Page;
  let theirs: Page;

  before(async () => {
    [ours, theirs] = [await context().newPage(), await context().newPage()];
    await ours.goto(our().origin);
    await theirs.goto(their().origin);
    await s3().send(new CreateBucketCommand({ Bucket: BUCKET }));
    await s3().send(
      new PutBucketCorsCommand({
        Bucket: BUCKET,
        CORSConfiguration: {
          CORSRules: [
            {
              AllowedOrigins: [our().origin],
              AllowedMethods: ['GET', 'PUT', 'DELETE'],
              AllowedHeaders: ['content-type'],
              ExposeHeaders: ['ETag', 'x-amz-request-id'],
              MaxAgeSeconds: 60,
            },
          ],
        },
      }),
    );
  });

  const VALID = { expiresIn: URL_VALID_S };
  const putUrl = (key: string) =>
    getSignedUrl(s3(), new PutObjectCommand({ Bucket: BUCKET, Key: key }), VALID);
  const getUrl = (key: string) =>
    getSignedUrl(s3(), new GetObjectCommand({ Bucket: BUCKET, Key: key }), VALID);
  const deleteUrl = (key: string) =>
    getSignedUrl(s3(), new DeleteObjectCommand({ Bucket: BUCKET, Key: key }), VALID);

  it('uploads with a presigned PUT, and reads what it uploaded', async () => {
    const body = 'from the page: grüße 😀';
    const put = await request(ours, await putUrl('dir/a file.txt'), 'PUT', body);
    expect(put).to.include({ status: 200, text: '' });
    expect(put.etag).to.match(/^"[0-9a-f]{32}"$/);
    const got = await request(ours, await getUrl('dir/a file.txt'));
    expect(got).to.include({ status: 200, text: body, etag: put.etag });
  });

  it('reads why a request failed', async () => {
    const missing = await request(ours, await getUrl('missing'));
    expect(missing.status).to.equal(404);
    expect(missing.text).to.contain('<Code>NoSuchKey</Code>');
    expect(missing.requestId).to.match(/^tx/);
    const altered = (await getUrl('missing')).replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=9');
    const refused = await request(ours, altered);
    expect(refused.status).to.equal(403);
    expect(refused.text).to.contain('<Code>SignatureDoesNotMatch</Code>');
  });

  it('deletes with a presigned URL, which takes a preflight', async () => {
    await request(ours, await putUrl('short-lived'), 'PUT', 'x');
    expect((await request(ours, await deleteUrl('short-lived'), 'DELETE')).status).to.equal(204);
    expect((await request(ours, await getUrl('short-lived'))).status).to.equal(404);
  });

  it('is kept from all of it on an origin that no rule names', async () => {
    const put = await request(theirs, await putUrl('theirs'), 'PUT', 'not ours');
    expect(put.status).to.equal('blocked');
    expect((await request(ours, await getUrl('theirs'))).status, 'nothing arrived').to.equal(404);
    await request(ours, await putUrl('secret'), 'PUT', 'secret');
    expect(await request(theirs, await getUrl('secret'))).to.include({
      status: 'blocked',
      text: '',
    });
  });

  it('is kept from a header that no rule allows', async () => {
    const put = await request(ours, await putUrl('header'), 'PUT', 'x', { 'x-amz-meta-a': 'b' });
    expect(put.status).to.equal('blocked');
    expect((await request(ours, await getUrl('header'))).status).to.equal(404);
  });
});

/** An empty page on an origin of its own. */
function startSite(): Promise<Served> {
  return serve((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>a page</title>');
  });
}

/** A request by the page's own script. */
function request(
  page: Page,
  url: string,
  method = 'GET',
  body?: string,
  headers: Record<string, string> = {},
): Promise<Seen> {
  return page.evaluate(
    async (asked) => {
      try {
        const { method, body, headers } = asked;
        const init = body === undefined ? { method, headers } : { method, headers, body };
        const answer = await fetch(asked.url, init);
        return {
          status: answer.status,
          text: await answer.text(),
          etag: answer.headers.get('ETag'),
          requestId: answer.headers.get('x-amz-request-id'),
        };
      } catch {
        return { status: 'blocked' as const, text: '', etag: null, requestId: null };
      }
    },
    { url, method, body, headers },
  );
}
