import { spawn } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { ProgramResult } from '../support/programs.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolder } from '../support/temp-folder.js';

const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));
const LARGE = Buffer.alloc(300_000, 'body ');

describe('ringway store beside the service', () => {
  const folder = useTempFolder('store-commands');
  const services: Service[] = [];
  const clients: S3TestClient[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const service of services.splice(0)) await service.kill9();
  });

  async function start(name: string): Promise<S3TestClient> {
    const service = await startService({ dataDir: join(folder(), name), listeners: 1 });
    const client = new S3TestClient(service);
    services.push(service);
    clients.push(client);
    return client;
  }

  function store(name: string, args: readonly string[], input?: string): Promise<ProgramResult> {
    const all = [MAIN, 'store', ...args, '--data', join(folder(), name)];
    const child = spawn(process.execPath, all);
    // A command that refuses reads nothing of it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input, 'latin1');
    return new Promise((resolve) => {
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('latin1').on('data', (text: string) => (stdout += text));
      child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
      child.on('close', (code) => {
        resolve({ code: code ?? -1, stdout, stderr });
      });
    });
  }

  it('exports, imports and checks stores that serve, and compacts none of them', async () => {
    const from = await start('from');
    await from.put('/photos');
    await from.put('/photos?versioning', VERSIONING);
    for (const body of ['first', 'second']) await from.put('/photos/small', body);
    await from.put('/photos/large', LARGE);
    const piped = await store('from', ['export', '-']);
    expect(piped.code, piped.stderr).to.equal(0);

    const to = await start('to');
    const imported = await store('to', ['import', '-'], piped.stdout);
    expect(imported.stderr).to.equal('');
    expect(imported).to.include({ code: 0, stdout: piped.stderr });
    expect((await to.get('/photos/small')).text).to.equal('second');
    expect((await to.get('/photos/large')).text).to.equal(LARGE.toString());
    expect((await to.get('/photos?versions')).text.match(/<Version>/g)).to.have.length(3);
    await to.put('/photos/after', 'x');
    const again = await store('to', ['import', '-'], piped.stdout);
    expect(again.code, again.stderr).to.equal(75);
    const checked = await store('to', ['check']);
    expect(checked, checked.stdout).to.include({ code: 0, stderr: '' });
    expect(JSON.parse(checked.stdout)).to.have.property('summary').that.includes({ faults: 0 });
    const compacted = await store('to', ['compact']);
    expect(compacted.code, compacted.stderr).to.equal(75);
  });

  it('ends with 1 and a line for each fault, with bucket and key', async () => {
    const client = await start('from');
    await client.put('/photos');
    await client.put('/photos/large', LARGE);
    const bodies = join(folder(), 'from', 'store', 'bodies');
    for (const name of await readdir(bodies, { recursive: true })) {
      const path = join(bodies, name);
      if ((await stat(path)).isFile()) await rm(path);
    }
    const { code, stdout, stderr } = await store('from', ['check']);
    expect(code).to.equal(1);
    expect(stderr).to.equal('ringway: the store has 1 faults\n');
    const [fault = ''] = stdout.split('\n');
    expect(JSON.parse(fault)).to.include({ bucket: 'photos', key: 'large' });
    expect((await store('from', ['export', join(folder(), 'export')])).code).to.equal(71);
    expect(await readdir(folder())).to.deep.equal(['from']);
  });
});

const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
