import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { codeOf, ConsoleClient, type Answer } from '../console/support/client.js';
import {
  change,
  download,
  list,
  ok,
  query,
  unique,
  upload,
  zipTicket,
} from '../console/files/support.js';
import { complete, initiate, uploadPart } from '../swift/drop-in.js';
import { eventually } from '../support/eventually.js';
import { S3TestClient } from '../support/s3-client.js';
import { ConsoleAndS3 } from '../support/console-s3.js';
import { consoleOf, CONSOLE_LIMIT_MS } from '../support/service-console.js';
import { told } from './console-steps.js';
import { lockConfiguration } from './object-lock/bench.js';
import { versioning } from './versions/bench.js';
import { FRIEND, FRIEND_ID, OWNER, USERS, type Login } from '../support/sharing-users.js';

const ENABLED = versioning('Enabled');

interface Presigned {
  readonly url: string;
  readonly expires_unix_s: number;
}

/** Asks until it is answered so: rights reach every process in a moment. */
function answering<T extends { readonly status: number }>(ask: () => Promise<T>, wanted: number) {
  return eventually(ask, ({ status }) => status === wanted);
}

describe('service: buckets with S3 versions that are shared from the console', function () {
  this.timeout(CONSOLE_LIMIT_MS);
  let both: ConsoleAndS3;
  let owner: ConsoleClient;
  let signer: ConsoleClient;
  let friend: ConsoleClient;
  let s3: S3TestClient;
  let friendsS3: S3TestClient;

  before(async () => {
    both = await ConsoleAndS3.start({ users: USERS });
    owner = await both.login(OWNER.user, OWNER.secretKey, OWNER.account);
    signer = await logIn(OWNER);
    friend = await both.login(FRIEND.user, FRIEND.secretKey, FRIEND.account);
    const { endpoint } = both.service;
    s3 = new S3TestClient({ endpoint, ...OWNER });
    friendsS3 = new S3TestClient({ endpoint, ...FRIEND });
  });

  async function logIn({ account, user, secretKey: key }: Login): Promise<ConsoleClient> {
    const { port } = consoleOf(both.service);
    const stateDir = join(both.service.dataDir, 'console');
    const client = new ConsoleClient(port, { storeOrigin: 'not secret here', stateDir });
    await ok(client.login({ account, user, key }), 200);
    return client;
  }

  after(async () => {
    // First: a service that is left behind would keep the tests from ending.
    await both.stop();
    await Promise.all([s3.close(), friendsS3.close()]);
  });

  async function makeBucket(kind: 'locked' | 'versions'): Promise<string> {
    const bucket = unique(kind);
    const lock = { 'x-amz-bucket-object-lock-enabled': 'true' };
    const made = await s3.put(`/${bucket}`, '', kind === 'locked' ? lock : {});
    expect(made.status, made.text).to.equal(200);
    if (kind === 'versions') await s3.put(`/${bucket}?versioning`, ENABLED);
    for (const text of ['first', 'second']) {
      expect((await s3.put(`/${bucket}/dir/o.txt`, text)).status).to.equal(200);
    }
    return bucket;
  }

  const share = (name: string, read: string, write = '') =>
    change(owner, 'acl', { name, read, write });
  /** Its answers show the address of S3, which nothing else does. */
  const presign = (bucket: string, more: object = {}, client = signer) =>
    client.post('/api/files/presigned', { container: bucket, name: 'dir/o.txt', ...more });

  const presigned = async (answer: Promise<Answer>) => (await told(answer)) as Presigned;

  for (const kind of ['locked', 'versions'] as const) {
    describe(kind === 'locked' ? 'with Object Lock' : 'without Object Lock', () => {
      it('are read by the person they are shared with, here and with S3', async () => {
        const bucket = await makeBucket(kind);
        expect((await download(friend, bucket, 'dir/o.txt')).status).to.equal(403);
        await ok(share(bucket, FRIEND_ID), 204);
        const rules = await told(owner.get(`/api/files/acl?${query({ name: bucket })}`));
        expect(rules).to.deep.equal({ read: FRIEND_ID, write: '' });
        const asFriend = () => friendsS3.get(`/${bucket}/dir/o.txt`);
        expect((await answering(asFriend, 200)).text).to.equal('second');
        expect((await ok(download(friend, bucket, 'dir/o.txt'), 200)).text).to.equal('second');
        const { items } = await list(friend, bucket, { prefix: 'dir/' });
        expect(items.map(({ name }) => name)).to.deep.equal(['dir/o.txt']);
        const place = query({ container: bucket, name: 'dir/o.txt' });
        const info = await told(friend.get(`/api/files/object?${place}`));
        expect(info).to.include({ bytes: 6 });
        const versions = await told(friend.get(`/api/files/versions?${place}`));
        const ids = (versions as { items: { id: string }[] }).items.map(({ id }) => id);
        expect(ids).to.have.length(2);
        const old = `${place}&version_id=${ids[1]}`;
        const body = await ok(friend.get(`/api/files/versions/body?${old}`), 200);
        expect(body.text).to.equal('first');
        const preview = await ok(friend.get(`/api/files/object/preview?${place}`), 200);
        expect(preview.text).to.equal('second');
        // Reading is all that was given.
        expect((await upload(friend, bucket, 'new.txt', 'x')).status).to.equal(403);
        const rulesOf = `/api/files/lifecycle?${query({ name: bucket })}`;
        expect((await friend.get(rulesOf)).status).to.equal(501);
      });

      it('are read whole by that person where an object came in parts', async () => {
        const bucket = await makeBucket(kind);
        const bytes = randomBytes(5 * 1024 * 1024 + 1);
        const id = await initiate(s3, `/${bucket}/large`);
        const etags = [];
        for (const [n, part] of [bytes.subarray(0, -1), bytes.subarray(-1)].entries()) {
          etags.push(await uploadPart(s3, `/${bucket}/large`, id, n + 1, part));
        }
        await complete(s3, `/${bucket}/large`, id, etags);
        await ok(share(bucket, FRIEND_ID), 204);
        const read = () => download(friend, bucket, 'large');
        const got = await answering(read, 200);
        expect(got.bytes.equals(bytes)).to.equal(true);
        const range = { range: 'bytes=5242879-5242880' };
        const place = query({ container: bucket, name: 'large' });
        const path = `/api/files/object/body?${place}`;
        const part = await friend.send('GET', path, { headers: range });
        expect(part.status).to.equal(206);
        expect(part.bytes.equals(bytes.subarray(5242879))).to.equal(true);
        const ticket = await zipTicket(friend, { container: bucket, names: ['large'] });
        const archive = await ok(friend.get(ticket), 200);
        expect(archive.bytes.includes(bytes)).to.equal(true);

        // The friend may no longer read the parts either.
        await ok(share(bucket, ''), 204);
        await answering(read, 403);
        const inParts = `/api/files/objects?${query({ container: `${bucket}+segments` })}`;
        await answering(() => friend.get(inParts), 403);
      });

      it('are written to through S3 by the person who may', async () => {
        const bucket = await makeBucket(kind);
        await ok(share(bucket, FRIEND_ID, FRIEND_ID), 204);
        const write = () => upload(friend, bucket, 'dir/o.txt', 'third', { overwrite: '1' });
        await answering(write, 201);
        expect((await s3.get(`/${bucket}/dir/o.txt`)).text).to.equal('third');
        const all = await s3.get(`/${bucket}?versions`);
        expect(all.text.split('<Version>')).to.have.length(1 + 3);
      });

      it('open one object by a presigned URL, until it expires', async () => {
        const bucket = await makeBucket(kind);
        const made = await presigned(presign(bucket, { expires_in_s: 60 }));
        const answer = await fetch(made.url);
        expect([answer.status, await answer.text()]).to.deep.equal([200, 'second']);
        expect(answer.headers.get('content-disposition')).to.equal(
          "attachment; filename*=UTF-8''o.txt",
        );
        const other = made.url.replace('/dir/o.txt?', '/dir/p.txt?');
        expect((await fetch(other)).status).to.equal(403);
        expect((await fetch(made.url, { method: 'PUT', body: 'x' })).status).to.equal(403);
        const shown = await presigned(presign(bucket, { inline: true, filename: 'ü.txt' }));
        const inline = await fetch(shown.url);
        expect(inline.headers.get('content-disposition')).to.equal(
          "inline; filename*=UTF-8''%C3%BC.txt",
        );
        const short = await presigned(presign(bucket, { expires_in_s: 1 }));
        await answering(() => fetch(short.url), 403);
      });

      it('take a new version by a presigned URL that writes', async () => {
        const bucket = await makeBucket(kind);
        const name = 'up/load ü+.txt';
        const made = await presigned(presign(bucket, { name, method: 'PUT' }));
        const answer = await fetch(made.url, { method: 'PUT', body: 'from outside' });
        expect(answer.status, await answer.text()).to.equal(200);
        expect((await s3.get(`/${bucket}/up/load%20%C3%BC%2B.txt`)).text).to.equal('from outside');
      });
    });
  }

  it('opens large objects of a bucket without versions to the person it is shared with', async () => {
    const bucket = unique('plain');
    await s3.put(`/${bucket}`);
    const id = await initiate(s3, `/${bucket}/large`);
    const bytes = randomBytes(100_000);
    const etag = await uploadPart(s3, `/${bucket}/large`, id, 1, bytes);
    await complete(s3, `/${bucket}/large`, id, [etag]);
    await ok(share(bucket, FRIEND_ID), 204);
    const read = () => download(friend, bucket, 'large');
    expect((await answering(read, 200)).bytes.equals(bytes)).to.equal(true);
  });

  it('says by which URLs objects are shared, and ends TempURLs from before the versions', async () => {
    const bucket = unique('former');
    await s3.put(`/${bucket}`);
    await s3.put(`/${bucket}/o`, 'x');
    const sharing = async () =>
      (await ok(owner.get(`/api/files/sharing?${query({ name: bucket })}`), 200)).json();
    const before = { presigned: true, tempurl: true, versioning: null, reason: null };
    expect(await sharing()).to.deep.equal(before);
    // Both open the object from anywhere: this service knows its own addresses.
    for (const way of ['presigned', 'tempurl']) {
      const made = signer.post(`/api/files/${way}`, { container: bucket, name: 'o' });
      const answer = await fetch((await presigned(made)).url);
      expect([answer.status, await answer.text()], way).to.deep.equal([200, 'x']);
    }
    await s3.put(`/${bucket}?versioning`, ENABLED);
    const kept = { ...before, tempurl: false, versioning: 'Enabled' };
    const known = await eventually(sharing, ({ tempurl }: { tempurl: boolean }) => !tempurl);
    expect(known).to.deep.equal(kept);
    const keys = async () => {
      const container = await told(owner.get(`/api/files/container?${query({ name: bucket })}`));
      return (container as { tempurl_keys: number }).tempurl_keys;
    };
    expect(await keys()).to.equal(1);
    await s3.put(`/${bucket}?object-lock`, lockConfiguration());
    await ok(owner.post('/api/files/tempurl/remove', { container: bucket }), 204);
    expect(await eventually(keys, (count) => count === 0)).to.equal(0);
  });

  it('gives the addresses of an object, and says which opens without a login', async () => {
    const bucket = unique('open');
    await s3.put(`/${bucket}`);
    await s3.put(`/${bucket}/a%20%20b`, 'x');
    const urls = async () => {
      const path = `/api/files/urls?${query({ container: bucket, name: 'a  b' })}`;
      return (await told(signer.get(path))) as { url: string; is_public: boolean };
    };
    const s3Url = `${both.service.endpoint}/${bucket}/a%20%20b`;
    const closed = { s3_uri: `s3://${bucket}/a  b`, url: s3Url, is_public: false };
    expect(await urls()).to.deep.equal(closed);
    await ok(share(bucket, '.r:*'), 204);
    // S3 is closed to those without a key, whatever the rules say; the store's own API is not.
    const open = await eventually(urls, ({ is_public: isPublic }) => isPublic);
    expect((await fetch(s3Url)).status).to.equal(403);
    expect([(await fetch(open.url)).status, open.is_public]).to.deep.equal([200, true]);
  });

  it('gives no TempURL, which would not open the versions', async () => {
    const bucket = await makeBucket('versions');
    for (const what of [{ name: 'dir/o.txt' }, { prefix: 'dir/' }]) {
      const refused = await owner.post('/api/files/tempurl', { container: bucket, ...what });
      expect([refused.status, codeOf(refused)]).to.deep.equal([501, 'unsupported_here']);
    }
  });

  it('answers with the reason where it signs no URL', async () => {
    const bucket = await makeBucket('versions');
    const refusals = [
      [{ name: 'missing' }, 'no_such_object'],
      [{ name: 'a/../b', method: 'PUT' }, 'bad_name'],
      [{ expires_in_s: 7 * 86_400 + 1 }, 'invalid_argument'],
      [{ expires_in_s: 0 }, 'invalid_argument'],
      [{ method: 'DELETE' }, 'invalid_argument'],
      [{ ip_range: '203.0.113.0/24' }, 'invalid_argument'],
      [{ filename: '\ud800' }, 'invalid_argument'],
    ] as const;
    for (const [more, code] of refusals) {
      expect(codeOf(await presign(bucket, more)), JSON.stringify(more)).to.equal(code);
    }
    // S3 knows no bucket of such a name.
    const unknown = 'no bucket';
    const body = { name: unknown, hidden_from_s3: true };
    await ok(owner.send('PUT', '/api/files/container', { body }), 204);
    expect(codeOf(await presign(unknown))).to.equal('unsupported_here');
    // A URL that writes is for those who manage containers.
    await ok(share(bucket, FRIEND_ID, FRIEND_ID), 204);
    const theirs = await logIn(FRIEND);
    const mine = () => presign(bucket, {}, theirs);
    await answering(mine, 200);
    expect(codeOf(await presign(bucket, { method: 'PUT' }, theirs))).to.equal('forbidden');
  });
});
