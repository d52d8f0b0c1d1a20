import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useEach, useOnce } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';
import { startApi } from '../swift-api/support/api.js';
import { ConsoleClient } from './support/client.js';

const MAIN = fileURLToPath(new URL('../../console/main.js', import.meta.url));

/** The console as a program of its own. */
describe('console: program', () => {
  const folder = useTempFolder('console-main');
  const ends = useEach<(() => Promise<unknown>)[]>(() => []);
  const api = useOnce(startApi, 'close');

  afterEach(async () => {
    for (const end of ends()) await end();
  });

  async function configured(keys: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const file = join(folder(), 'console.json');
    const all = {
      bind: '127.0.0.1:0',
      store_base: api().origin,
      auth_url: `${api().origin}/auth/v1.0`,
      accounts: [{ account: 'test', user: 'tester', role: 'operator' }],
      state_dir: 'state',
      ...keys,
    };
    await writeFile(file, JSON.stringify(all));
    return file;
  }

  const secrets = () => ({ storeOrigin: api().origin, stateDir: join(folder(), 'state') });

  function run(...args: string[]) {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
    const collect = (text: string) => (output += text);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    ends().push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const port = async (): Promise<number> => {
      for (;;) {
        const found = /listening on port (\d+)/.exec(output)?.[1];
        if (found !== undefined) return Number(found);
        await Promise.race([once(child.stdout, 'data'), ended]);
        if (child.exitCode !== null) throw new Error(output);
      }
    };
    return { child, ended, port };
  }

  for (const [what, keys, args, code, message] of [
    ['no file', {}, [], 64, /^usage: /],
    ['too many words', {}, ['--what'], 64, /^usage: /],
    ['a wrong key', { bind: 'here' }, [], 78, /^bind: got "here", expected HOST:PORT/m],
    ['an unknown key', { trash: 1 }, [], 78, /^trash: got 1, expected a key that exists/m],
    ['a state_dir that is a file', { state_dir: 'console.json' }, [], 73, /^console: EEXIST/],
  ] as const) {
    it(`ends with ${code} for ${what}`, async () => {
      const file = await configured(keys);
      const ended = await run(...(what === 'no file' ? [] : [file, ...args])).ended;
      expect(ended.output).to.match(message);
      expect(ended.code).to.equal(code);
    });
  }

  it('says when its file cannot be read', async () => {
    const ended = await run(join(folder(), 'gone.json')).ended;
    expect(ended).to.include({ code: 78 });
    expect(ended.output).to.match(/gone\.json: expected a readable file/);
  });

  it('says when something else listens on its address', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const ended = await run(await configured({ bind: `127.0.0.1:${port}` })).ended;
    holder.close();
    expect(ended.output).to.match(new RegExp(`^console: .*EADDRINUSE.*127\\.0\\.0\\.1:${port}`));
    expect(ended.code).to.equal(69);
  });

  it('lets an upload finish at SIGTERM, and ends with 0', async () => {
    const { child, ended, port } = run(await configured());
    const client = new ConsoleClient(await port(), secrets());
    const login = { account: 'test', user: 'tester', key: 'testing' };
    expect((await client.login(login)).status).to.equal(200);
    const made = await client.send('PUT', '/api/files/container', { body: { name: 'slow' } });
    expect(made.status, made.text).to.be.below(300);
    const upload = await client.beginUpload('/api/files/object/body?container=slow&name=a', 10);
    upload.body.write('01234');
    child.kill('SIGTERM');
    await eventually(
      () =>
        client
          .get('/healthz')
          .then(String, (error: unknown) => (error as NodeJS.ErrnoException).code),
      (outcome) => outcome === 'ECONNREFUSED',
    );
    upload.body.end('56789');
    expect((await upload.answer).status).to.be.below(300);
    expect(await ended).to.include({ code: 0 });
    expect(await readFile(join(folder(), 'state', 'audit.jsonl'), 'utf8')).to.include('"login"');
  });

  it('cuts an upload at a second SIGTERM that comes later, and ends with 1', async () => {
    const { child, ended, port } = run(await configured());
    const client = new ConsoleClient(await port(), secrets());
    await client.login({ account: 'test', user: 'tester', key: 'testing' });
    await client.send('PUT', '/api/files/container', { body: { name: 'slow' } });
    const upload = await client.beginUpload('/api/files/object/body?container=slow&name=b', 10);
    upload.answer.catch(() => undefined);
    // So often that some come late enough to be another wish.
    const nagging = setInterval(() => child.kill('SIGTERM'), 50);
    expect(await ended).to.include({ code: 1 });
    clearInterval(nagging);
  });
});
