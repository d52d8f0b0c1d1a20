import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { SwiftAccount } from '../../../console/swift/account.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { swiftLogin } from '../../../console/swift/login.js';
import { Upstream } from '../../../console/swift/upstream.js';
import { useOnce } from '../../support/fixture.js';
import { startTestBed } from '../support/console.js';
import { bringBack, download, job, makeContainer, ok, throwAway, unique } from './support.js';

const BUCKET = unique('bucket');
const PARTS = `${BUCKET}+segments`;
const UPLOAD_ID = '0123456789abcdef'.repeat(3);
const MIB = 1024 ** 2;

describe('console files: what S3 uploaded in parts', () => {
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());
  const upstream = useOnce(() => new Upstream(parseUpstream(bed().store.origin)), 'close');
  let account: SwiftAccount;

  before(async () => {
    const auth = new Upstream(parseUpstream(bed().store.authUrl));
    const login = () => swiftLogin(auth, 'test:tester', 'testing');
    account = new SwiftAccount({ store: upstream(), token: await login(), login, now: Date.now });
    auth.close();
    for (const name of [BUCKET, PARTS]) await makeContainer(client(), name);
  });

  const partOf = (key: string) => `${key}/${UPLOAD_ID}/1`;

  /** As a gateway leaves an upload of one part; a manifest may name that as often as it likes. */
  async function uploadThroughS3(key: string, body: Buffer, times = 1): Promise<void> {
    const object = partOf(key);
    await account.do([201], 'PUT', { container: PARTS, object, body });
    const etag = createHash('md5').update(body).digest('hex');
    const segment = { path: `/${PARTS}/${object}`, etag, size_bytes: body.length };
    const manifest = JSON.stringify(Array.from({ length: times }, () => segment));
    const query = { 'multipart-manifest': 'put' };
    await account.do([201], 'PUT', { container: BUCKET, object: key, query, body: manifest });
  }

  /** Deletes the part of a key, as a gateway does once the key has gone. */
  async function sweep(key: string): Promise<void> {
    await account.do([204], 'DELETE', { container: PARTS, object: partOf(key) });
  }

  const read = async (name: string) => (await ok(download(client(), BUCKET, name), 200)).bytes;

  it('is whole after trash and restore, though its parts were swept', async () => {
    const body = Buffer.alloc(MIB, 'thrown away');
    await uploadThroughS3('thrown', body);
    await throwAway(client(), BUCKET, 'thrown');
    await sweep('thrown');
    await bringBack(client(), BUCKET);
    expect((await read('thrown')).equals(body)).to.equal(true);
  });

  for (const kind of ['copy', 'move']) {
    it(`is whole after a ${kind}, though the parts of the original were swept`, async () => {
      const body = Buffer.alloc(MIB, kind);
      await uploadThroughS3(kind, body);
      const done = await job(client(), `/api/files/${kind}`, {
        container: BUCKET,
        to_container: BUCKET,
        items: [{ name: kind, to_name: `${kind}-2` }],
      });
      expect(done.result.succeeded).to.equal(1);
      await sweep(kind);
      expect((await read(`${kind}-2`)).equals(body)).to.equal(true);
    });
  }

  it('stays where it is when it is too large for one object', async () => {
    await uploadThroughS3('huge', Buffer.alloc(8 * MIB), 641);
    const place = { container: BUCKET, names: ['huge'], mode: 'trash' };
    const { result } = await job(client(), '/api/files/delete', place);
    expect(result.failures.map(({ name, code }) => [name, code])).to.deep.equal([
      ['huge', 'too_large'],
    ]);
    const head = await account.do([200], 'HEAD', { container: BUCKET, object: 'huge' });
    expect(head.headers['content-length']).to.equal(String(641 * 8 * MIB));
  });
});
