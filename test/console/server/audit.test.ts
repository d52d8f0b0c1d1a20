import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  openAuditLog,
  verifyAudit,
  type AuditEvent,
  type AuditLog,
  type AuditRecord,
  type AuditVerdict,
} from '../../../src/lib/audit/audit-log.js';
import type { AuditPage } from '../../../console/surfaces/audit/surface.js';
import { EXIT_CODES } from '../../../supervisor/exit-codes.js';
import { watchSyncs, type Sync } from '../../support/file-syncs.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { startTestBed } from '../support/console.js';

const run = promisify(execFile);

function event(target: string): AuditEvent {
  return {
    actor: 'test:tester',
    role: 'operator',
    ip: '127.0.0.1',
    action: 'files.purge',
    target,
    result: 'ok',
    request_id: 'tx',
  };
}

describe('console audit log', () => {
  const folder = useTempFolder('audit');
  let log: AuditLog;
  const file = (name = 'audit.jsonl') => join(folder(), name);

  beforeEach(async () => {
    log = await openAuditLog(folder());
  });

  afterEach(async () => {
    await log.close();
  });

  const writeAll = async (count: number) => {
    await Promise.all(Array.from({ length: count }, (_, i) => log.write(event(`t${i}`))));
  };

  it('chains what is written at the same time, across restarts', async () => {
    await writeAll(20);
    await log.close();
    log = await openAuditLog(folder());
    await writeAll(3);
    const verdict = await log.verify();
    expect(verdict).to.include({ ok: true, files: 1, records: 23 });
    expect((await verifyAudit(folder())).head_sha256).to.equal(verdict.head_sha256);
    const [latest, before] = await log.latest(() => true, 2);
    expect([latest?.target, before?.target]).to.deep.equal(['t2', 't1']);
  });

  it('acknowledges a record when it is on disk, and none that cannot be', async () => {
    await writeAll(1);
    const { size } = await stat(file());
    const sizes: number[] = [];
    const synced = (sync: Sync): void => {
      if (sync.path === file()) sizes.push(sync.size);
    };
    await watchSyncs(synced, () => log.write(event('t')));
    expect(sizes).to.deep.equal([(await stat(file())).size]);
    expect(sizes[0]).to.be.above(size);
    const fail = (): void => {
      throw new Error('EIO');
    };
    const failed = await watchSyncs(fail, () => log.write(event('x'))).catch(String);
    expect(failed).to.equal('Error: EIO');
    expect((await stat(file())).size).to.equal(sizes[0]);
    expect(await log.verify()).to.include({ ok: true, records: 2 });
  });

  /** The lines of the file, after somebody has changed them. */
  const tamper = async (change: (lines: string[]) => string[]) => {
    const lines = (await readFile(file(), 'utf8')).trimEnd().split('\n');
    const changed = change(lines);
    await writeFile(file(), changed.map((line) => `${line}\n`).join(''));
  };

  for (const [title, change, problem] of [
    [
      'a record that was changed',
      (lines) => lines.map((line, i) => (i === 2 ? line.replace('t2', 'xx') : line)),
      { kind: 'altered', file: 'audit.jsonl', line: 4 },
    ],
    [
      'one that was taken out',
      (lines) => lines.toSpliced(2, 1),
      { kind: 'altered', file: 'audit.jsonl', line: 3 },
    ],
    [
      'two that were swapped',
      (lines) => [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)],
      { kind: 'altered', file: 'audit.jsonl', line: 2 },
    ],
    [
      'one that was put in',
      (lines) => lines.toSpliced(2, 0, lines[1]!),
      { kind: 'altered', file: 'audit.jsonl', line: 3 },
    ],
    [
      'a beginning that is gone',
      (lines) => lines.slice(2),
      { kind: 'beginning_missing', file: 'audit.jsonl', line: 1 },
    ],
    [
      'garbage',
      (lines) => [...lines, 'garbage'],
      { kind: 'unreadable', file: 'audit.jsonl', line: 6 },
    ],
  ] as [string, (lines: string[]) => string[], AuditVerdict['problem']][]) {
    it(`sees ${title}`, async () => {
      await writeAll(5);
      await tamper(change);
      expect((await verifyAudit(folder())).problem).to.deep.equal(problem);
    });
  }

  it('sees an end that is gone, as long as it knows what it wrote', async () => {
    await writeAll(5);
    await tamper((lines) => lines.slice(0, 4));
    expect((await log.verify()).problem?.kind).to.equal('end_missing');
    // Its file alone does not tell: that is what the head is for.
    expect(await verifyAudit(folder())).to.include({ ok: true, records: 4 });
  });

  it('sees, and does not list, a line that was forged behind the last one', async () => {
    await writeAll(2);
    expect(await log.foreignBytes()).to.equal(0);
    const lines = (await readFile(file(), 'utf8')).trimEnd().split('\n');
    const before = createHash('sha256').update(lines.at(-1)!).digest('hex');
    const forged = { ...(JSON.parse(lines[0]!) as object), action: 'forged', prev_sha256: before };
    const text = `${JSON.stringify(forged)}\n`;
    await appendFile(file(), text);
    const verdict = await log.verify();
    expect(verdict.problem).to.deep.equal({ kind: 'added', file: 'audit.jsonl', line: 3 });
    expect(await log.foreignBytes()).to.equal(text.length);
    const isForged = ({ action }: AuditRecord): boolean => action === 'forged';
    expect(await log.latest(isForged, 10)).to.deep.equal([]);
    expect(await log.latest(() => true, 10)).to.have.length(2);
    await writeAll(1);
    expect(await log.verify()).to.include({ ok: true, records: 3 });
    expect(await log.foreignBytes()).to.equal(0);
  });

  it('leaves out what a crash cut, and goes on', async () => {
    await writeAll(2);
    await log.close();
    await appendFile(file(), '{"unix_s":1,"act');
    log = await openAuditLog(folder());
    await writeAll(1);
    expect(await log.verify()).to.include({ ok: true, records: 3 });
  });

  it('takes back half a line, so that the next one is whole', async () => {
    await writeAll(1);
    await appendFile(file(), '{"half');
    await writeAll(1);
    expect(await log.verify()).to.include({ ok: true, records: 2 });
  });

  it('goes on in a new file with the same chain, and lets the oldest go with a record', async () => {
    await log.close();
    log = await openAuditLog(folder(), { bytesMax: 16 * 1024 });
    await writeAll(30);
    const before = await readdir(folder());
    expect(before).to.include.members(['audit-00000001.jsonl', 'audit-00000002.jsonl']);
    expect(await log.verify()).to.include({ ok: true, records: 30 });
    for (let i = 0; i < 4; i++) await writeAll(30);
    const after = await readdir(folder());
    expect(after).not.to.include('audit-00000001.jsonl');
    expect(after.length).to.be.at.most(9);
    expect((await log.verify()).ok).to.equal(true);
    const drops = await log.latest((one) => one.action === 'audit.drop', 100);
    expect(drops.at(-1)?.target).to.match(/^audit-\d{8}\.jsonl [0-9a-f]{64}$/);
    await log.close();
    log = await openAuditLog(folder(), { bytesMax: 16 * 1024 });
    await writeAll(1);
    expect((await log.verify()).ok).to.equal(true);
    // A file that is gone without a record is missing.
    await rm(file(after.sort().find((name) => name.startsWith('audit-'))));
    expect((await log.verify()).problem?.kind).to.equal('beginning_missing');
  });

  it('goes on with the chain when it was stopped between two files', async () => {
    await log.close();
    log = await openAuditLog(folder(), { bytesMax: 8 * 1024 });
    await writeAll(20);
    await log.close();
    await rm(file());
    await writeFile(file(), '');
    log = await openAuditLog(folder());
    await writeAll(1);
    expect((await log.verify()).ok).to.equal(true);
  });

  it('goes on when a full file was renamed, and the next one could not be opened', async () => {
    await log.close();
    log = await openAuditLog(folder(), { bytesMax: 8 * 1024 });
    await log.write(event('x'.repeat(1500)));
    await rename(file(), file('audit-00000001.jsonl'));
    await log.write(event('y'));
    expect(await log.verify()).to.include({ ok: true, files: 2, records: 2 });
  });
});

describe('console audit page', () => {
  const bed = useOnce(() => startTestBed({ audit_bytes_max: 64 * 1024 }), 'close');

  before(async () => {
    await bed().client().login({ account: 'test', user: '<img src=x>', key: 'x' });
    bed().clock.nowMs += 60_000;
    await bed().login();
  });

  const search = async (filter: string): Promise<AuditRecord[]> => {
    const client = await bed().login();
    const answer = await client.get(`/api/audit?${filter}`);
    expect(answer.status, answer.text).to.equal(200);
    return (answer.json() as { items: AuditRecord[] }).items;
  };

  it('is searched by user, subject, outcome and time', async () => {
    const denied = await search('result=denied');
    expect(denied.map((one) => one.actor)).to.deep.equal(['test:<img src=x>']);
    expect(await search('actor=test:tester&action=log')).not.to.deep.equal([]);
    expect(await search('action=files')).to.deep.equal([]);
    const middle = denied[0]!.unix_s + 30;
    expect(await search(`to_unix_s=${middle}`)).to.deep.equal(denied);
    expect((await search(`from_unix_s=${middle}`)).every((one) => one.result === 'ok')).to.be.true;
    expect(await search('limit=1')).to.have.length(1);
    expect(await search('target=sess&ip=127.0.0.1&limit=1')).to.have.length(1);
  });

  it('is checked by a click, and by a command that says what is wrong', async () => {
    const client = await bed().login();
    const verdict = await client.read<AuditVerdict>('/api/audit/verify');
    expect(verdict.ok).to.equal(true);
    const reader = await bed().login('tester3', 'testing3');
    expect((await reader.get('/api/audit/verify')).status).to.equal(403);

    const forged = '{"unix_s":1,"action":"forged","prev_sha256":""}\n';
    await appendFile(join(bed().stateDir, 'audit.jsonl'), forged);
    const page = await client.read<AuditPage>('/api/audit');
    expect(page.foreign_bytes).to.equal(forged.length);
    expect(page.items.map(({ action }) => action)).not.to.include('forged');
    const added = await client.read<AuditVerdict>('/api/audit/verify');
    expect(added.problem?.kind).to.equal('added');
    await bed().login();
    expect(await client.read('/api/audit')).to.include({ foreign_bytes: 0 });

    const config = join(bed().stateDir, 'console.json');
    const keys = {
      store_base: bed().console.context.options.storeBase,
      auth_url: bed().console.context.options.authUrl,
      accounts: [{ user: 'tester', role: 'operator' }],
      state_dir: '.',
    };
    await writeFile(config, JSON.stringify(keys));
    const program = new URL('../../../console/main.js', import.meta.url).pathname;
    const good = await run(process.execPath, [program, config, '--verify-audit']);
    expect((JSON.parse(good.stdout) as AuditVerdict).ok).to.equal(true);

    const log = join(bed().stateDir, 'audit.jsonl');
    await writeFile(log, (await readFile(log, 'utf8')).replace('denied', 'ok'));
    const bad = await run(process.execPath, [program, config, '--verify-audit']).then(
      () => undefined,
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(bad?.code).to.equal(EXIT_CODES.altered.code);
    expect(bad?.stderr).to.match(/altered at audit\.jsonl, line 2/);
    expect((await client.read<AuditVerdict>('/api/audit/verify')).ok).to.equal(false);
  });
});
