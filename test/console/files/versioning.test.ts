import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { ApiError } from '../../../console/server/api-error.js';
import { S3StatusError } from '../../../console/s3/errors.js';
import { S3Account } from '../../../console/s3/s3-account.js';
import { S3Bucket } from '../../../console/surfaces/files/s3/s3-bucket.js';
import { replaceS3Meta, s3Target } from '../../../console/surfaces/files/s3/s3-objects.js';
import { Tally } from '../../../console/surfaces/files/many.js';
import { Transfers } from '../../../console/surfaces/files/transfers.js';
import { putInParts } from '../../../console/surfaces/files/s3/s3-uploads.js';
import { SwiftAccount } from '../../../console/swift/account.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { Upstream } from '../../../console/swift/upstream.js';
import {
  archivePrefix,
  isMarker,
  versioningOf,
} from '../../../console/surfaces/files/versioning.js';
import { failureOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';

describe('console versioning', () => {
  it('reads the keeper of versions from the headers of a container', () => {
    const none = { mode: 'none', active: false, archive: undefined };
    expect(versioningOf({})).to.deep.equal(none);
    expect(versioningOf({ 'x-versions-enabled': 'True' })).to.include({
      mode: 'stack',
      active: true,
    });
    expect(versioningOf({ 'x-versions-enabled': 'False' })).to.include({
      mode: 'stack',
      active: false,
    });
    expect(versioningOf({ 'x-versions-location': 'old%20ones' })).to.include({
      mode: 'archive',
      archive: 'old ones',
    });
    expect(versioningOf({ 'x-history-location': 'h/' })).to.include({
      mode: 'history',
      archive: 'h',
    });
  });

  it('counts the length of archived names in bytes', () => {
    expect(archivePrefix('o')).to.equal('001o/');
    expect(archivePrefix('ü☃')).to.equal('005ü☃/');
    expect(archivePrefix('x'.repeat(1024)).slice(0, 4)).to.equal('400x');
  });

  it('knows a deletion by its type', () => {
    expect(isMarker('application/x-deleted;swift_versions_deleted=1')).to.equal(true);
    expect(isMarker('application/x-deleted')).to.equal(false);
  });
});

interface S3Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
/** An error of S3 in an answer that has begun with 200, kept alive by white space. */
const late = (code: string): S3Answer => ({
  body: `${DECLARATION}\n\n<Error><Code>${code}</Code><Message>-</Message></Error>`,
});

/** The console as a client of an S3 that answers what its test says. */
describe('console versions of S3', () => {
  let asked: IncomingMessage[];
  let answer: (request: IncomingMessage) => S3Answer;
  const server = useEach(() => {
    asked = [];
    answer = () => ({});
    return serve((request, response) => {
      asked.push(request);
      request.resume();
      const { status = 200, headers, body } = answer(request);
      response.writeHead(status, headers).end(body);
    });
  }, 'close');
  const upstream = useEach(() => new Upstream(parseUpstream(server().origin)), 'close');

  function bucketOf(versioning: S3Bucket['versioning'] = 'Enabled', accessKey = 'KEY'): S3Bucket {
    const address = parseUpstream(server().origin);
    const place = { upstream: upstream(), address, region: 'us-east-1' };
    const s3 = new S3Account(place, [accessKey], 'secret');
    return new S3Bucket(s3, 'bucket', versioning);
  }

  it('takes no copy for made that fails late', async () => {
    answer = () => late('InternalError');
    const to = { container: 'other', object: 'a' };
    const error = await failureOf(bucketOf().copyTo(to, { key: 'a' }), S3StatusError);
    expect([error.status, error.code]).to.deep.equal([500, 'InternalError']);
  });

  it('says of a late condition what it says of an early one, and drops the parts', async () => {
    answer = ({ method, url = '' }) => {
      if (method === 'PUT') return { headers: { etag: '"e"' } };
      if (method === 'DELETE') return { status: 204 };
      if (url.endsWith('?uploads=')) return { body: '<I><UploadId>u1</UploadId></I>' };
      return late('PreconditionFailed');
    };
    const error = await failureOf(
      putInParts(bucketOf(), 'a', [], 'text/plain', { 'if-none-match': '*' }),
      S3StatusError,
    );
    expect([error.status, error.code]).to.deep.equal([412, 'PreconditionFailed']);
    const { method, url } = asked.at(-1)!;
    expect([method, url]).to.deep.equal(['DELETE', '/bucket/a?uploadId=u1']);
  });

  it('lets go of what S3 refuses, and drops the parts', async () => {
    answer = ({ method }) => {
      if (method === 'POST') return { body: '<I><UploadId>u1</UploadId></I>' };
      return { status: method === 'DELETE' ? 204 : 403 };
    };
    const body = new PassThrough();
    body.write('begin');
    const part = { bytes: 10, open: () => Promise.resolve(body) };
    const error = await failureOf(
      putInParts(bucketOf(), 'a', [part], 'text/plain', { 'if-none-match': '*' }),
      S3StatusError,
    );
    expect(error.status).to.equal(403);
    expect(body.destroyed).to.equal(true);
    expect(asked.at(-1)!.method).to.equal('DELETE');
  });

  it('takes the version “null” for there where a key has more versions than are read', async () => {
    const version = `<Version><Key>a</Key><VersionId>${'0'.repeat(32)}</VersionId></Version>`;
    const next = '<NextKeyMarker>a</NextKeyMarker><NextVersionIdMarker>0</NextVersionIdMarker>';
    const page = `<R><IsTruncated>true</IsTruncated>${next}${version.repeat(200)}</R>`;
    answer = ({ method }) => (method === 'HEAD' ? {} : { body: page });
    expect((await s3Target(bucketOf('Suspended'), 'a')).effect).to.equal('destroys');
    expect(asked.filter(({ method }) => method === 'GET')).to.have.length(50);
  });

  it('changes the metadata only of what it has read', async () => {
    answer = ({ method }) =>
      method === 'HEAD'
        ? { headers: { etag: '"e1"' } }
        : { body: '<CopyObjectResult><ETag>"e1"</ETag></CopyObjectResult>' };
    await replaceS3Meta(bucketOf(), 'a', {}, undefined, 'e1');
    const { headers } = asked.at(-1)!;
    expect(headers['x-amz-copy-source-if-match']).to.equal('"e1"');
    expect(headers['if-match']).to.equal('"e1"');
  });

  it('moves nothing away that S3 keeps by the time it is copied', async () => {
    const state = (status: string) => ({ body: `<R><Status>${status}</Status></R>` });
    answer = ({ method, url = '' }) => {
      if (url.endsWith('?versioning=')) return state(url.startsWith('/bucket') ? 'Enabled' : '');
      if (url.startsWith('/bucket')) return { status: method === 'HEAD' ? 404 : 200 };
      if (method === 'GET') return { body: 'x' };
      const isKept = asked.some(({ method: former }) => former === 'PUT');
      const target = `from%2Bversions/${'0'.repeat(32)}`;
      const isLink = isKept && url.endsWith('?symlink=get');
      return { headers: isLink ? { 'x-symlink-target': target } : { 'content-length': '1' } };
    };
    const { s3 } = bucketOf();
    const token = { token: 'token', account: 'AUTH_test' };
    const login = () => Promise.resolve(token);
    const store = new SwiftAccount({ store: upstream(), token, login, now: () => 0 });
    const user = { account: 'test', user: 'tester', role: 'admin' } as const;
    const control = { signal: new AbortController().signal, progress: () => undefined };
    const tally = new Tally(control, (error) => error as ApiError);
    const job = {
      container: 'from',
      to_container: 'bucket',
      removes: true,
      onTaken: 'fail',
    } as const;
    const work = new Transfers({ store, s3, user }, job, tally, () => 0);
    const transfer = {
      name: 'a',
      from: { container: 'from', object: 'a' },
      to: { container: 'bucket', object: 'a' },
    };
    await work.run([{ kind: 'whole', transfer }], control);
    expect(tally.result.failures.map(({ code }) => code)).to.deep.equal(['unsupported_here']);
    expect(asked.filter(({ method }) => method === 'PUT')).to.have.length(1);
    expect(asked.map(({ method }) => method)).not.to.include('DELETE');
  });

  it('signs as users whose names are in other scripts', async () => {
    await bucketOf('Enabled', 'тест:юзер')
      .delete('a', 'e')
      .catch(() => undefined);
    const sent = Buffer.from(asked[0]?.headers.authorization ?? '', 'latin1').toString('utf8');
    expect(sent).to.include('Credential=тест:юзер/');
  });
});
