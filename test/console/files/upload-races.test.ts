import { expect } from 'chai';
import { expectRefused } from '../support/client.js';
import { useOnce } from '../../support/fixture.js';
import { startRelayedBed } from '../support/store-relay.js';
import { download, fileOf, makeContainer, ok, putSegment, unique, upload } from './support.js';

const MIB = 1024 ** 2;
const CONTAINER = unique('races');

describe('console files: two uploads under one name', () => {
  const bed = useOnce(
    () => startRelayedBed({ segment_bytes: MIB, max_upload_bytes: 4 * MIB }),
    'close',
  );
  const relay = useOnce(() => bed().relay);
  const client = useOnce(() => bed().login());

  before(() => makeContainer(client(), CONTAINER));

  /** Sends a file in two segments, and no manifest. */
  async function sendSegments(name: string) {
    const file = fileOf(CONTAINER, name, MIB + 1);
    await ok(client().post('/api/files/uploads', file), 200);
    for (const [index, length] of [MIB, 1].entries()) {
      await ok(putSegment(client(), file, index, Buffer.alloc(length, 'x')), 201);
    }
    return file;
  }

  it('leave what was there first, until one of them chooses to replace it', async () => {
    const file = await sendSegments('both');
    relay().beforeManifest = () => ok(upload(client(), CONTAINER, 'both', 'the other one'), 201);
    await expectRefused(client().post('/api/files/uploads/finish', file), 412, 'exists');
    expect((await ok(download(client(), CONTAINER, 'both'), 200)).text).to.equal('the other one');

    // The segments sent are kept for users who choose to replace the object.
    const plan = (await ok(client().post('/api/files/uploads', file), 200)).json() as object;
    expect(plan).to.deep.include({ present: [0, 1] });
    await ok(client().post('/api/files/uploads/finish', { ...file, overwrite: true }), 201);
    const { bytes } = await ok(download(client(), CONTAINER, 'both'), 200);
    expect(bytes.length).to.equal(file.size_bytes);
  });

  it('cost a call each, once it is known that the store keeps no versions there', async () => {
    await ok(upload(client(), CONTAINER, 'first', 'x'), 201);
    relay().calls.length = 0;
    await ok(upload(client(), CONTAINER, 'second', 'x'), 201);
    await expectRefused(upload(client(), CONTAINER, 'second', 'y'), 412, 'exists');
    expect(relay().calls).to.deep.equal(['PUT', 'PUT']);
    // A large body is not sent in vain.
    await expectRefused(
      upload(client(), CONTAINER, 'second', Buffer.alloc(MIB + 1)),
      412,
      'exists',
    );
    expect(relay().calls).to.deep.equal(['PUT', 'PUT', 'HEAD']);
  });

  it('replace nothing unseen that came after the question', async () => {
    const put = ({ overwrite = '1' } = {}) =>
      upload(client(), CONTAINER, 'late', 'mine', { overwrite });
    let other: Promise<unknown> | undefined;
    relay().before = async (method, path) => {
      if (other !== undefined || method !== 'PUT' || !path.endsWith('/late')) return;
      other = upload(client(), CONTAINER, 'late', 'theirs');
      await other;
    };
    // The body has been sent: the user is asked once more.
    const refused = await put();
    relay().before = undefined;
    await expectRefused(refused, 412, 'exists');
    expect((await ok(download(client(), CONTAINER, 'late'), 200)).text).to.equal('theirs');
    await ok(put(), 201);
    // A manifest can be written again, which is then recorded as what it is.
    const file = await sendSegments('late-large');
    relay().beforeManifest = () => ok(upload(client(), CONTAINER, 'late-large', 'theirs'), 201);
    await ok(client().post('/api/files/uploads/finish', { ...file, overwrite: true }), 201);
    const audit = await ok(client().get('/api/audit?action=files.overwrite'), 200);
    const targets = (audit.json() as { items: { target: string; result: string }[] }).items
      .filter(({ result }) => result === 'ok')
      .map(({ target }) => target)
      .filter((target) => target.includes('/late'));
    expect(targets).to.deep.equal([`${CONTAINER}/late-large`, `${CONTAINER}/late`]);
  });

  it('end with segments that the listing lacks', async () => {
    const file = await sendSegments('unlisted');
    relay().answered = (path, body) => (path.includes('unlisted') ? '[]' : body);
    await ok(client().post('/api/files/uploads/finish', file), 201);
    const missing = { ...file, fingerprint: 'd'.repeat(16) };
    const refused = await client().post('/api/files/uploads/finish', missing);
    relay().answered = undefined;
    await expectRefused(refused, 409, 'conflict');
    const { bytes } = await ok(download(client(), CONTAINER, 'unlisted'), 200);
    expect(bytes.length).to.equal(file.size_bytes);
  });

  it('are one where both send the same file', async () => {
    const file = await sendSegments('same');
    const finish = () => client().post('/api/files/uploads/finish', file);
    let again: Promise<unknown> | undefined;
    relay().beforeManifest = async () => {
      again = ok(finish(), 201);
      await client().get('/api/session');
    };
    relay().calls.length = 0;
    await ok(finish(), 201);
    await again;
    // One end at a time: the second finds what the first has made.
    expect(relay().calls.filter((method) => method === 'PUT')).to.have.length(1);
    const { bytes } = await ok(download(client(), CONTAINER, 'same'), 200);
    expect(bytes.length).to.equal(file.size_bytes);
  });
});
