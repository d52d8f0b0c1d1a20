import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { makeContainer, query, upload } from './support.js';

const MIB = 1024 ** 2;
/** Bodies of objects, however it is said. */
const TYPES = [
  'application/octet-stream',
  'Application/Octet-Stream',
  'application/octet-stream; x=y',
];

describe('console files: keys that set limits', () => {
  const bed = useOnce(
    () => startTestBed({ max_upload_bytes: 2 * MIB, tempurl_default_secs: 90 }),
    'close',
  );

  it('max_upload_bytes: bounds a body, and the segments that a file is cut into', async () => {
    const client = await bed().login();
    const container = `limits-${Date.now()}`;
    await makeContainer(client, container);
    // By this a page knows what it has to cut.
    const session = await client.read('/api/session');
    expect(session).to.include({ max_upload_bytes: 2 * MIB });
    const large = await upload(client, container, 'large', Buffer.alloc(2 * MIB + 1));
    expect(codeOf(large)).to.equal('too_large');
    const file = { container, name: 'f', mtime_ms: 1, fingerprint: '0'.repeat(16) };
    const start = (size: number) =>
      client.post('/api/files/uploads', { ...file, size_bytes: size });
    expect((await start(5 * MIB)).json()).to.include({ segment_bytes: 2 * MIB, segments: 3 });
    // A manifest has a thousand segments.
    expect(codeOf(await start(2001 * MIB))).to.equal('too_large');
  });

  it('lets a session send so many bodies at a time, and more when they are over', async () => {
    const client = await bed().login();
    const container = `many-${Date.now()}`;
    await makeContainer(client, container);
    const bodies = Array.from({ length: 16 }, () => new PassThrough());
    const uploads = bodies.map((stream, i) => {
      stream.write('x');
      return client.send('PUT', `/api/files/object/body?${query({ container, name: `o${i}` })}`, {
        stream,
        headers: { 'content-type': TYPES[i % TYPES.length] ?? '', 'content-length': '2' },
      });
    });
    const another = () => upload(client, container, 'more', 'x', { overwrite: '1' });
    const refused = await eventually(another, ({ status }) => status === 429);
    expect(refused.headers['retry-after']).to.equal('5');
    for (const stream of bodies) stream.end('y');
    for (const one of await Promise.all(uploads)) expect(one.status, one.text).to.equal(201);
    await eventually(another, ({ status }) => status === 201);
  });

  it('tempurl_default_secs: is how long a URL lasts when nothing else is asked for', async () => {
    const client = await bed().login();
    const container = `urls-${Date.now()}`;
    await makeContainer(client, container);
    await upload(client, container, 'o', 'x');
    expect(await client.read('/api/session')).to.include({ tempurl_default_s: 90 });
    const answer = await client.post('/api/files/tempurl', { container, name: 'o' });
    const { expires_unix_s: expires } = answer.json() as { expires_unix_s: number };
    expect(expires).to.equal(Math.floor(bed().clock.nowMs / 1000) + 90);
  });

  it('makes no URL of what is not there to read, nor of a name that browsers shorten', async () => {
    const client = await bed().login();
    const container = `urls-${Date.now()}`;
    await makeContainer(client, container);
    const ask = (body: object) => client.post('/api/files/tempurl', { container, ...body });
    expect(codeOf(await ask({ name: 'absent' }))).to.equal('no_such_object');
    expect((await ask({ name: 'absent', method: 'PUT' })).status).to.equal(200);
    expect((await ask({ prefix: 'absent/' })).status).to.equal(200);
    for (const name of ['a/../b', './a', '..', 'a/.']) {
      await upload(client, container, name, 'x');
      expect(codeOf(await ask({ name })), name).to.equal('bad_name');
      expect(codeOf(await ask({ prefix: name, method: 'PUT' })), name).to.equal('bad_name');
    }
    await upload(client, container, '...a/b..', 'x');
    expect((await ask({ name: '...a/b..' })).status).to.equal(200);
  });
});
