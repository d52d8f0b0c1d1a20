import { chmod, chown, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeysView, MadeKey } from '../../console/surfaces/keys/surface.js';
import { parseCredentials, parseRecords } from '../../src/config/credentials.js';
import { useTempFolder } from '../support/temp-folder.js';
import { codeOf, type ConsoleClient } from './support/client.js';
import { startTestBed, type TestBed } from './support/console.js';

const SECRET = 'hush-hush-hush';
const OWN = { access_key: 'OWN', secret_key: SECRET, account: 'AUTH_test', role: 'owner' };
const FIRST = [
  { ...OWN, user: 'test:tester' },
  { ...OWN, access_key: 'BATCH', description: 'nightly <b>' },
  { ...OWN, access_key: 'OTHER', account: 'AUTH_other' },
];

describe('console access keys', () => {
  const folder = useTempFolder('keys');
  let file: string;
  let bed: TestBed;
  let operator: ConsoleClient;

  beforeEach(async () => {
    await writeFile(join(folder(), 'real.json'), '', { mode: 0o600 });
    file = join(folder(), 'credentials.json');
    await symlink('real.json', file);
    await write(FIRST);
    bed = await startTestBed({ credentials_file: file });
    operator = await bed.login();
  });

  afterEach(async () => {
    await bed.close();
  });

  const write = (credentials: readonly object[]) =>
    writeFile(join(folder(), 'real.json'), JSON.stringify({ credentials }));
  const records = async () => parseRecords(await readFile(file, 'utf8'), file);
  const inForce = async (nowMs = bed.clock.nowMs) =>
    parseCredentials(await readFile(file, 'utf8'), file, nowMs).map(({ accessKey }) => accessKey);
  const list = () => operator.read<KeysView>('/api/keys');
  const change = (key: string, body: object) =>
    operator.send('PATCH', `/api/keys/${key}`, { body });
  const audited = async () => {
    const found = await bed.console.context.audit.latest(
      ({ action }) => action.startsWith('keys.'),
      10,
    );
    return found.map(({ action, result, target }) => `${action} ${result} ${target}`);
  };

  it('are listed without their secrets', async () => {
    const answer = await operator.get('/api/keys');
    expect(answer.text).not.to.include(SECRET);
    const { items }: KeysView = answer.json();
    expect(items).to.have.length(3);
    expect(items[0]).to.deep.equal({
      access_key: 'OWN',
      account: 'test',
      role: 'owner',
      user: 'test:tester',
      description: '',
      state: 'active',
      expires: null,
      is_own: true,
    });
    expect(items[1]).to.include({ description: 'nightly <b>', is_own: false });
  });

  it('are made with a secret that is told once', async () => {
    const wanted = { account: 'test', role: 'member', user: 'test:new', description: 'CI' };
    const answer = await operator.post('/api/keys', wanted);
    expect(answer.status, answer.text).to.equal(201);
    const made: MadeKey = answer.json();
    expect(made.secret_key).to.match(/^[\w-]{40}$/);
    const { access_key: accessKey, secret_key: secretKey } = made;
    expect((await records()).at(-1)).to.deep.include({
      ...wanted,
      ...{ account: 'AUTH_test', accessKey, secretKey },
    });
    expect((await operator.get('/api/keys')).text).not.to.include(secretKey);
    // The file is still one that the service takes, behind its link.
    expect((await stat(join(folder(), 'real.json'))).mode & 0o777).to.equal(0o600);
    expect(await audited()).to.deep.equal(['keys.create ok test', 'keys.create begun test']);
    const log = await readFile(join(bed.stateDir, 'audit.jsonl'), 'utf8');
    expect(log).not.to.include(secretKey);
    expect(log).to.include(`"access_key":"${accessKey}"`);
  });

  it('are disabled, expire and are deleted', async () => {
    expect((await change('BATCH', { disabled: true })).status).to.equal(200);
    expect(await inForce()).to.deep.equal(['OWN', 'OTHER']);
    expect((await list()).items[1]).to.include({ state: 'disabled' });
    const expires = new Date(bed.clock.nowMs + 60_000).toISOString();
    await change('BATCH', { disabled: false, expires });
    expect(await inForce()).to.deep.equal(['OWN', 'BATCH', 'OTHER']);
    expect(await inForce(bed.clock.nowMs + 60_000)).to.deep.equal(['OWN', 'OTHER']);
    bed.clock.nowMs += 61_000;
    expect((await list()).items[1]).to.include({ state: 'expired', expires });
    await change('BATCH', { expires: null });
    expect((await list()).items[1]).to.include({ state: 'active', expires: null });
    expect((await operator.send('DELETE', '/api/keys/BATCH')).status).to.equal(204);
    expect(await inForce()).to.deep.equal(['OWN', 'OTHER']);
    expect(await audited()).to.include.members(['keys.change ok BATCH', 'keys.delete ok BATCH']);
  });

  it('of the user who asks stay, and so does one that operates the service', async () => {
    expect(codeOf(await change('OWN', { disabled: true }))).to.equal('conflict');
    expect(codeOf(await operator.send('DELETE', '/api/keys/OWN'))).to.equal('conflict');
    await write(FIRST.slice(1));
    expect(codeOf(await change('BATCH', { role: 'member' }))).to.equal('conflict');
    expect(codeOf(await operator.send('DELETE', '/api/keys/BATCH'))).to.equal('conflict');
    expect(await inForce()).to.deep.equal(['BATCH', 'OTHER']);
    expect((await operator.send('DELETE', '/api/keys/NONE')).status).to.equal(404);
  });

  it('are for operators alone, and only where the service has them in a file', async () => {
    const member = await bed.login('tester2', 'testing2');
    expect((await member.get('/api/keys')).status).to.equal(403);
    await using other = await startTestBed();
    const answer = await (await other.login()).get('/api/keys');
    expect(codeOf(answer)).to.equal('feature_disabled');
  });

  it('stay in a file of the same owner, group and mode', async () => {
    const real = join(folder(), 'real.json');
    const isRoot = process.getuid?.() === 0;
    // Only root gives files away; others keep what is theirs.
    if (isRoot) await chown(real, 65_533, 65_532);
    await chmod(real, 0o640);
    const { uid, gid, ino } = await stat(real);
    const wanted = { account: 'test', role: 'owner' };
    expect((await operator.post('/api/keys', wanted)).status).to.equal(201);
    const after = await stat(real);
    expect([after.uid, after.gid, after.mode & 0o777]).to.deep.equal([uid, gid, 0o640]);
    expect(after.ino).not.to.equal(ino);
  });

  it('are not touched in a file with mistakes', async () => {
    await writeFile(join(folder(), 'real.json'), '{"credentials":[{}]}');
    expect(codeOf(await operator.get('/api/keys'))).to.equal('unprocessable');
    const wanted = { account: 'test', role: 'owner' };
    expect(codeOf(await operator.post('/api/keys', wanted))).to.equal('unprocessable');
    expect(await readFile(file, 'utf8')).to.equal('{"credentials":[{}]}');
  });
});
