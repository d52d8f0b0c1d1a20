import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { describeWith, program } from '../support/needs.js';
import { findProgram } from '../support/programs.js';
import { startService } from '../support/service.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

/** Nothing that calls home, or that a container does not have. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A guard: a browser takes its time to start on a busy machine. */
const BROWSER_LIMIT_MS = 120_000;
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
  /** Closers, last opened first: a hook that fails half-way leaves nothing behind. */
  const opened: (() => unknown)[] = [];
  let s3: S3Client;
  /** Of the origin that the rules name, and of another one. */
  let ours: Page;
  let theirs: Page;

  before(async () => {
    const folder = await makeTempFolder('browser');
    opened.unshift(() => removeFolder(folder));
    const service = await startService();
    opened.unshift(() => service.stop());
    s3 = new S3Client({
      endpoint: service.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: service.accessKey, secretAccessKey: service.secretKey },
      // A presigned URL cannot know the checksum of what will be uploaded with it.
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    opened.unshift(s3.destroy.bind(s3));
    const sites = await Promise.all([startSite(), startSite()]);
    opened.unshift(() => sites.map((site) => site.close()));
    const browser = await chromium.launchPersistentContext(folder, {
      executablePath: findProgram('chromium') ?? '',
      headless: true,
      args: FLAGS,
    });
    opened.unshift(() => browser.close());
    [ours, theirs] = (await Promise.all(sites.map((site) => open(browser, site)))) as [Page, Page];
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
    await s3.send(
      new PutBucketCorsCommand({
        Bucket: BUCKET,
        CORSConfiguration: {
          CORSRules: [
            {
              AllowedOrigins: [originOf(sites[0])],
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

  after(async () => {
    for (const close of opened) await close();
  });

  const VALID = { expiresIn: URL_VALID_S };
  const putUrl = (key: string) =>
    getSignedUrl(s3, new PutObjectCommand({ Bucket: BUCKET, Key: key }), VALID);
  const getUrl = (key: string) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket: BUCKET, Key: key }), VALID);
  const deleteUrl = (key: string) =>
    getSignedUrl(s3, new DeleteObjectCommand({ Bucket: BUCKET, Key: key }), VALID);

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
async function startSite(): Promise<Server> {
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>a page</title>');
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  return site;
}

function originOf(site: Server | undefined): string {
  return `http://127.0.0.1:${(site!.address() as AddressInfo).port}`;
}

async function open(browser: BrowserContext, site: Server): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${originOf(site)}/`);
  return page;
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
