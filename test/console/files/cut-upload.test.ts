import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { startRelayedBed } from '../support/store-relay.js';
import { codeOf, expectRefused } from '../support/client.js';
import { download, makeContainer, ok, query, unique, upload } from './support.js';

const CONTAINER = unique('cut');
const BYTES = 8 * 1024 ** 2;

describe('console files: a store that fails in the middle of an upload', () => {
  const bed = useOnce(startRelayedBed, 'close');
  const client = useOnce(() => bed().login());

  it('leaves the connection to the browser open, and read', async () => {
    await makeContainer(client(), CONTAINER);
    const socket = connect(client().port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    const head = [
      `Host: 127.0.0.1:${client().port}`,
      `Origin: http://127.0.0.1:${client().port}`,
      `Cookie: ${client().cookie}`,
      `X-CSRF-Token: ${client().csrf}`,
    ].join('\r\n');
    const path = `/api/files/object/body?${query({ container: CONTAINER, name: 'o' })}`;
    bed().relay.cutNextBody = true;
    socket.write(
      `PUT ${path} HTTP/1.1\r\n${head}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${BYTES}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(BYTES));
    socket.write(`GET /healthz HTTP/1.1\r\n${head}\r\n\r\n`);
    // Both answers, in the order of their requests: the second one is read only behind the body.
    while (!text.includes('{"status":"ok"}')) await once(socket, 'data');
    expect(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]).to.equal('503');
    socket.destroy();
  });

  for (const bytes of [0, 5, 2 * 1024 ** 2]) {
    it(`knows the object of an upload of ${bytes} bytes whose answer was lost`, async () => {
      const name = `lost-${bytes}`;
      const body = Buffer.alloc(bytes, 'a');
      bed().relay.loseNextAnswer = true;
      const lost = await upload(client(), CONTAINER, name, body);
      expect(codeOf(lost)).to.equal('upstream_unavailable');
      // Who does not say that it is the same upload gets the plain truth.
      expect(codeOf(await upload(client(), CONTAINER, name, body))).to.equal('exists');
      const again = await ok(upload(client(), CONTAINER, name, body, { again: '1' }), 201);
      const { length } = (await ok(download(client(), CONTAINER, name), 200)).bytes;
      expect([again.json(), length]).to.deep.equal([
        { etag: createHash('md5').update(body).digest('hex'), bytes },
        bytes,
      ]);
    });
  }

  it('takes an object with other bytes for that of somebody else', async () => {
    await ok(upload(client(), CONTAINER, 'other', 'theirs'), 201);
    for (const body of ['yours!', 'theirs, longer', '']) {
      const refused = await upload(client(), CONTAINER, 'other', body, { again: '1' });
      await expectRefused(refused, 412, 'exists', body);
    }
    expect((await ok(download(client(), CONTAINER, 'other'), 200)).text).to.equal('theirs');
  });
});
