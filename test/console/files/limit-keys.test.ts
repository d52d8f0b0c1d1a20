import { expect } from 'chai';
import { codeOf } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { makeContainer, upload } from './support.js';

const MIB = 1024 ** 2;

describe('console files: keys that set limits', () => {
  let bed: TestBed;

  before(async () => {
    bed = await startTestBed({ max_upload_bytes: 2 * MIB, tempurl_default_secs: 90 });
  });

  after(() => bed.close());

  it('max_upload_bytes: bounds a body, and the segments that a file is cut into', async () => {
    const client = await bed.login();
    const container = `limits-${Date.now()}`;
    await makeContainer(client, container);
    const large = await upload(client, container, 'large', Buffer.alloc(2 * MIB + 1));
    expect(codeOf(large)).to.equal('too_large');
    const file = { container, name: 'f', mtime_ms: 1, fingerprint: '0'.repeat(16) };
    const start = (size: number) =>
      client.post('/api/files/uploads', { ...file, size_bytes: size });
    expect((await start(5 * MIB)).json()).to.include({ segment_bytes: 2 * MIB, segments: 3 });
    // A manifest has a thousand segments.
    expect(codeOf(await start(2001 * MIB))).to.equal('too_large');
  });

  it('tempurl_default_secs: is how long a URL lasts when nothing else is asked for', async () => {
    const client = await bed.login();
    const container = `urls-${Date.now()}`;
    await makeContainer(client, container);
    const answer = await client.post('/api/files/tempurl', { container, name: 'o' });
    const { expires_unix_s: expires } = answer.json() as { expires_unix_s: number };
    expect(expires).to.equal(Math.floor(bed.clock.nowMs / 1000) + 90);
  });
});
