import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import { fromUpstream } from '../../../console/server/upstream-errors.js';
import { S3Account } from '../../../console/s3/s3-account.js';
import { takeStep } from '../../../console/surfaces/files/s3/rewind.js';
import { S3Bucket } from '../../../console/surfaces/files/s3/s3-bucket.js';
import { expectKept, restoreInS3 } from '../../../console/surfaces/files/s3/s3-objects.js';
import { Tally } from '../../../console/surfaces/files/many.js';
import { Transfers } from '../../../console/surfaces/files/transfers.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { Upstream } from '../../../console/swift/upstream.js';
import { failureOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { FakeSwift } from './fake-swift.js';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Current {
  readonly id: string;
  readonly etag: string;
}

/** Buckets with versions in memory, as far as conditions go: each key has what is current. */
class Buckets {
  readonly current = new Map<string, Current>();
  readonly sent: Sent[] = [];
  versioning = 'Enabled';
  /** Done before a request is looked at. */
  before: (sent: Sent) => void = () => undefined;
  #made = 0;

  put(path: string): Current {
    this.#made += 1;
    const current = { id: `v${this.#made}`, etag: `e${this.#made}` };
    this.current.set(path, current);
    return current;
  }

  changes(): string[] {
    return this.sent.filter(({ method }) => method !== 'HEAD' && method !== 'GET').map(lineOf);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const [path = '', search = ''] = url.split('?');
    const sent = { method, path, headers, body: await text(request) };
    this.before(sent);
    this.sent.push(sent);
    if (search.startsWith('versioning')) {
      // Swift has the containers that begin so.
      const status = path.startsWith('/swift') ? '' : this.versioning;
      return void response.end(`<R><Status>${status}</Status></R>`);
    }
    if (method === 'GET') return void response.end('<R><IsTruncated>false</IsTruncated></R>');
    const found = this.current.get(path);
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (match !== undefined && match !== `"${found?.etag ?? ''}"`) {
      return void response.writeHead(412).end();
    }
    if (noneMatch !== undefined && found !== undefined) return void response.writeHead(412).end();
    if (method === 'HEAD') {
      const known = found && { etag: `"${found.etag}"`, 'x-amz-version-id': found.id };
      return void response.writeHead(known === undefined ? 404 : 200, known).end();
    }
    if (method === 'DELETE') this.current.delete(path);
    else this.put(path);
    response.writeHead(method === 'DELETE' ? 204 : 200).end('<R/>');
  }
}

function lineOf({ method, path, headers }: Sent): string {
  const match = headers['if-match'] ?? headers['if-none-match'] ?? 'no condition';
  return `${method} ${path} ${match}`;
}

const refusal = async (work: Promise<unknown>) => (await failureOf(work, ApiError)).code;

describe('console files: conditions where S3 keeps versions', () => {
  const buckets = useEach(() => new Buckets());
  const server = useEach(() => serve((...exchange) => void buckets().answer(...exchange)), 'close');
  const upstream = useEach(() => new Upstream(parseUpstream(server().origin)), 'close');
  let s3: S3Account;
  let swift: FakeSwift;
  let nowMs: number;

  beforeEach(() => {
    const address = parseUpstream(server().origin);
    const place = { upstream: upstream(), address, region: 'us-east-1' };
    s3 = new S3Account(place, ['KEY'], 'secret');
    swift = new FakeSwift();
    swift.containers.set('swift', {});
    nowMs = 0;
  });

  const bucketOf = (versioning: S3Bucket['versioning'] = 'Enabled') =>
    new S3Bucket(s3, 'bucket', versioning);

  async function transfer(
    from: string,
    names: readonly (readonly [string, string])[],
    role: 'admin' | 'member' = 'admin',
    onTaken: 'fail' | 'replace' = 'fail',
  ) {
    const control = { signal: new AbortController().signal, progress: () => undefined };
    const tally = new Tally(control, (error) => {
      const known = error instanceof ApiError ? error : fromUpstream(error);
      if (known === undefined) throw error;
      return known;
    });
    const session = { store: swift.account, s3, user: { account: 't', user: 't', role } };
    const job = { container: from, to_container: 'bucket', removes: true, onTaken };
    const work = new Transfers(session, job, tally, () => nowMs);
    for (const [name, to] of names) {
      const place = {
        from: { container: from, object: name },
        to: { container: 'bucket', object: to },
      };
      await work.run([{ kind: 'whole', transfer: { name, ...place } }], control);
    }
    return tally.result.failures.map(({ name, code }) => [name, code]);
  }

  it('moves the version that it looked at, and hides no newer one', async () => {
    const { id, etag } = buckets().put('/bucket/a');
    expect(await transfer('bucket', [['a', 'b']])).to.deep.equal([]);
    const [copy] = buckets().sent.filter(({ method }) => method === 'PUT');
    expect(copy?.headers['x-amz-copy-source']).to.include(`a?versionId=${id}`);
    expect(buckets().changes()).to.deep.equal(['PUT /bucket/b *', `DELETE /bucket/a "${etag}"`]);
    buckets().put('/bucket/c');
    buckets().before = ({ method }) => {
      if (method === 'PUT') buckets().put('/bucket/c');
    };
    expect(await transfer('bucket', [['c', 'd']])).to.deep.equal([['c', 'conflict']]);
    expect([...buckets().current.keys()].sort()).to.deep.equal([
      ...['/bucket/b', '/bucket/c', '/bucket/d'],
    ]);
  });

  it('writes over nothing that came meanwhile, and with “Replace” over what it saw', async () => {
    const { etag } = buckets().put('/bucket/taken');
    for (const name of ['a', 'b']) buckets().put(`/bucket/${name}`);
    expect(await transfer('bucket', [['a', 'taken']], 'admin', 'replace')).to.deep.equal([]);
    expect(buckets().changes()[0]).to.equal(`PUT /bucket/taken "${etag}"`);
    buckets().before = ({ method, path }) => {
      if (method === 'PUT' && path === '/bucket/new') buckets().put(path);
    };
    expect(await transfer('bucket', [['b', 'new']])).to.deep.equal([['b', 'exists']]);
  });

  it('takes one object from Swift, not the bytes of one with the metadata of another', async () => {
    swift.put('swift', 'a', 'first', { 'x-object-meta-of': 'first' });
    let isReplaced = false;
    swift.before = ({ method }) => {
      if (isReplaced || method !== 'GET') return;
      isReplaced = true;
      swift.put('swift', 'a', 'second', { 'x-object-meta-of': 'second' });
    };
    expect(await transfer('swift', [['a', 'a']])).to.deep.equal([]);
    const [put] = buckets().sent.filter(({ method }) => method === 'PUT');
    expect([put?.body, put?.headers['x-amz-meta-of']]).to.deep.equal(['second', 'second']);
    expect(put?.headers['if-none-match']).to.equal('*');
  });

  it('notices within a second that versions are no longer kept', async () => {
    for (const name of ['a', 'b']) buckets().put(`/bucket/${name}`);
    buckets().before = ({ method, path }) => {
      if (method !== 'DELETE' || path !== '/bucket/a') return;
      buckets().versioning = 'Suspended';
      nowMs += 1000;
    };
    const asked = () => buckets().sent.filter(({ method }) => method === 'GET').length;
    await transfer(
      'bucket',
      [
        ['a', 'c'],
        ['b', 'd'],
      ],
      'member',
    );
    // In a suspended bucket a member's writes look for the version “null”.
    expect(asked()).to.be.greaterThan(2);
  });

  it('rewinds and restores only over what was looked at', async () => {
    const { id, etag } = buckets().put('/bucket/a');
    const step = { name: 'a', bytes: 1, current_id: id };
    await takeStep(bucketOf(), { ...step, action: 'restore', version_id: 'v0' });
    expect(buckets().changes()).to.deep.equal([`PUT /bucket/a "${etag}"`]);
    const race = ({ method, path }: Sent) => {
      if (method === 'PUT' || method === 'DELETE') buckets().put(path);
    };
    const now = buckets().current.get('/bucket/a')!.id;
    buckets().before = race;
    const gone = { ...step, current_id: now, action: 'delete', version_id: null } as const;
    expect(await refusal(takeStep(bucketOf(), gone))).to.equal('conflict');
    expect(await refusal(restoreInS3(bucketOf(), 'a', 'v0', true))).to.equal('conflict');
    const none = { ...step, name: 'n', current_id: null, action: 'restore', version_id: 'v0' };
    expect(await refusal(takeStep(bucketOf(), none as never))).to.equal('conflict');
  });

  it('lets a member write in a suspended bucket only while no version “null” is there', async () => {
    const { etag } = buckets().put('/bucket/a');
    expect(await expectKept(bucketOf('Suspended'), 'a', false)).to.deep.equal({
      'if-match': `"${etag}"`,
    });
    expect(await expectKept(bucketOf('Suspended'), 'n', false)).to.deep.equal({
      'if-none-match': '*',
    });
    expect(await expectKept(bucketOf('Suspended'), 'a', true)).to.deep.equal({});
    expect(await expectKept(bucketOf(), 'a', false)).to.deep.equal({});
  });
});
