import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { codeOf, failureOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { answer } from './support/fake-swift.js';
import { CONTEXT, useFakes } from './support/open-fake.js';

describe('Swift transport: requests', () => {
  const open = useFakes();
  const fixture = useEach(() => open(1, { filterSecret: 'lab-secret' }));

  it('sends names raw: nothing in a path is normalised', async () => {
    const { fake, get } = fixture();
    const paths: [string, string][] = [
      ['a/../b', '/v1/AUTH_test/c/a/../b'],
      ['a//b', '/v1/AUTH_test/c/a//b'],
      ['./x', '/v1/AUTH_test/c/./x'],
      ['..', '/v1/AUTH_test/c/..'],
      ['+', '/v1/AUTH_test/c/%2B'],
      ['%2F', '/v1/AUTH_test/c/%252F'],
      ['a?b#c', '/v1/AUTH_test/c/a%3Fb%23c'],
      ['new\nline', '/v1/AUTH_test/c/new%0Aline'],
      ['ü', '/v1/AUTH_test/c/%C3%BC'],
    ];
    for (const [object] of paths) (await get({ container: 'c', object })).cancel();
    expect(fake.seen.map(({ url }) => url)).to.deep.equal(paths.map(([, url]) => url));
  });

  it('sends containers in one segment, and the query as it is', async () => {
    (await fixture().get({ container: 'a b', query: 'prefix=x%2Fy&format=json' })).cancel();
    (await fixture().get({ query: '' })).cancel();
    expect(fixture().fake.seen.map(({ url }) => url)).to.deep.equal([
      '/v1/AUTH_test/a%20b?prefix=x%2Fy&format=json',
      '/v1/AUTH_test',
    ]);
  });

  it('carries header values in UTF-8, both ways', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) =>
      // The codecs above hand down nothing that HTTP trims or cannot carry.
      value.replace(/\p{Cc}/gu, '').trim(),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const { fake, get } = fixture();
        const bytes = Buffer.from(value, 'utf8').toString('latin1');
        fake.steps = [answer(200, '', { 'X-Object-Meta-Name': bytes })];
        const response = await get({ container: 'c', headers: { 'X-Object-Meta-Name': value } });
        response.cancel();
        expect(response.headers.get('x-object-meta-name')).to.equal(value);
        expect(fake.seen.at(-1)?.headers['x-object-meta-name']).to.equal(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it('reads heads of any length that come in pieces, before and behind long bodies', async () => {
    const { fake, get } = fixture();
    const headers = Array.from({ length: 12 }, (_, i) => [`x-long-${i}`, `${i} `.repeat(2_000)]);
    const body = Buffer.from(Uint32Array.from({ length: 256 * 1024 }, (_, i) => i).buffer);
    const lines = headers.map(([name, value]) => `${name}: ${value}end\r\n`);
    fake.steps = [
      async ({ incoming }) => {
        const { socket } = incoming;
        const send = (bytes: string | Buffer) =>
          new Promise((sent) => {
            socket.write(bytes, () => setImmediate(sent));
          });
        await send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n`);
        for (const line of lines) await send(line);
        await send('\r\n');
        await send(body);
      },
    ];
    for (let round = 0; round < 4; round++) {
      const response = await get({ container: 'c', object: 'o' });
      const received: Buffer[] = [];
      for await (const chunk of response.body) received.push(Buffer.from(chunk));
      expect(Buffer.concat(received).equals(body)).to.equal(true);
      for (const [name = '', value] of headers) {
        expect(response.headers.get(name) === `${value}end`, name).to.equal(true);
      }
    }
  });

  it('refuses a header that would break out of its line, and does not blame the endpoint', async () => {
    const headers = { 'X-Object-Meta-A': 'a\r\nX-Injected: 1' };
    expect(await codeOf(fixture().get({ container: 'c', headers }))).to.equal('Unsupported');
    const source = (async function* () {
      yield await Promise.resolve(Buffer.from('abc'));
    })();
    const body = { source, size: 3 };
    const streamed = await failureOf(
      fixture().get({ method: 'PUT', container: 'c', headers, body }),
    );
    expect(streamed).to.have.property('code', 'Unsupported');
    expect(fixture().fake.seen).to.deep.equal([]);
    expect(fixture().transport.load().active).to.equal(0);
  });

  it('sends token, request id and signature with each request', async () => {
    const before = Math.floor(Date.now() / 1000);
    (await fixture().get({ container: 'c', object: 'ü', query: 'a=b' })).cancel();
    const { headers } = fixture().fake.seen[0]!;
    expect(headers['x-auth-token']).to.equal('token-0');
    expect(headers['x-trans-id-extra']).to.equal(CONTEXT.requestId.slice(0, 32));
    const time = String(headers['x-gateway-time']);
    expect(Number(time)).to.be.within(before, before + 60);
    const signed = `GET\n/v1/AUTH_test/c/%C3%BC?a=b\n${time}`;
    const expected = createHmac('sha256', 'lab-secret').update(signed).digest('hex');
    expect(headers['x-gateway-signature']).to.equal(expected);
  });

  it('sends no signature without a secret', async () => {
    const plain = await open(1);
    (await plain.get()).cancel();
    expect(plain.fake.seen[0]!.headers).not.to.have.any.keys('x-gateway-time');
  });

  it('hands every status on, with headers and body', async () => {
    for (const status of [200, 202, 204, 304, 404, 409, 412, 416, 422, 500]) {
      fixture().fake.steps = [answer(status, status === 204 || status === 304 ? '' : 'why')];
      const response = await fixture().get({ container: 'c' });
      expect(response.status).to.equal(status);
      expect(await response.text(100)).to.equal(status === 204 || status === 304 ? '' : 'why');
    }
    expect(fixture().retries).to.deep.equal([]);
  });

  it('keeps the connection after HEAD, and after a body that was cancelled when little was left', async () => {
    const { fake, get } = fixture();
    fake.steps = [answer(200, 'x'.repeat(10_000))];
    for (let i = 0; i < 5; i++) {
      const head = await get({ method: 'HEAD', container: 'c' });
      expect(head.headers.get('content-length')).to.equal('10000');
      expect(await head.text(0)).to.equal('');
      (await get({ container: 'c' })).cancel();
    }
    expect(fake.connections).to.be.at.most(2);
  });

  it('ends the connection of a long body whose reader stops', async () => {
    const { fake, get, transport } = fixture();
    fake.steps = [answer(200, Buffer.alloc(8 * 1024 * 1024))];
    const response = await get({ container: 'c' });
    for await (const chunk of response.body) {
      expect(chunk.length).to.be.greaterThan(0);
      break;
    }
    expect(transport.load().active).to.equal(0);
    fake.steps = [answer(200, 'next')];
    expect(await (await get({ container: 'c' })).text(100)).to.equal('next');
  });

  it('streams a body of any length, and holds back what is not read', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
    fixture().fake.steps = [answer(200, body)];
    const response = await fixture().get({ container: 'c' });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) {
      chunks.push(Buffer.from(chunk));
      await new Promise(setImmediate);
    }
    expect(Buffer.concat(chunks).equals(body)).to.equal(true);
  });

  it('gives no more text than asked for', async () => {
    fixture().fake.steps = [answer(200, 'x'.repeat(1001))];
    const whole = await (await fixture().get()).text(1001);
    expect(whole).to.have.length(1001);
    const response = await fixture().get();
    expect(await codeOf(response.text(1000))).to.equal('Corrupt');
  });

  it('sends whole bodies, empty ones too', async () => {
    const bodies: string[] = [];
    fixture().fake.steps = [
      async (request) => {
        bodies.push((await request.body()).toString());
        request.response.writeHead(201).end();
      },
    ];
    const put = { method: 'PUT', container: 'c', object: 'o' } as const;
    const source = (async function* () {
      yield await Promise.resolve(Buffer.alloc(0));
    })();
    for (const body of [Buffer.from('abc'), Buffer.alloc(0), undefined, { source, size: 0 }]) {
      expect((await fixture().get({ ...put, body })).status).to.equal(201);
    }
    expect(bodies).to.deep.equal(['abc', '', '', '']);
    const lengths = fixture().fake.seen.map(({ headers }) => headers['content-length']);
    expect(lengths).to.deep.equal(['3', '0', '0', '0']);
  });

  it("tells what a peer's clock says", async () => {
    const dates: number[] = [];
    const dated = await open(1, { onDate: (date) => dates.push(date) });
    dated.fake.steps = [answer(200, '', { Date: 'Fri, 20 Nov 2026 17:00:00 GMT' })];
    (await dated.get()).cancel();
    expect(dates).to.include(Date.UTC(2026, 10, 20, 17));
  });
});
