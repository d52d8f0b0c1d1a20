import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { CONF, FakeCluster, NODES } from '../console/users/support.js';
import { BROWSER_LIMIT_MS, openPage, typeLogin } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { inspect, saved } from './acts.js';

const EVIL = '<img src=x onerror=alert(1)>';
const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll('=', '');
const EVIL_LINE = `user64_${base64('evil')}_${base64(EVIL)} = an-evil-key .admin\n`;

describeWith([program('chromium')], 'users and audit log in Chromium', function () {
  this.timeout(BROWSER_LIMIT_MS);
  const cluster = useOnce(() => {
    const users = CONF.indexOf('user_test_boss');
    return FakeCluster.start(CONF.slice(0, users) + EVIL_LINE + CONF.slice(users));
  }, 'close');
  const watched = useOnce(openPage, 'close');
  let page: Page;

  before(async () => {
    await cluster().startConsole();
    page = watched().page;
  });

  const confs = () => Promise.all(NODES.map((node) => cluster().read(node)));

  it('records a login that failed, whatever its name', async () => {
    await page.goto(`http://127.0.0.1:${cluster().console?.port ?? 0}/`);
    for (const [user, key] of [
      [EVIL, 'x'],
      ['admin', 'the-admin-key'],
    ] as const) {
      await typeLogin(page, { account: 'admin', user, key });
      if (key === 'x') await page.getByText('Invalid user or key').waitFor();
    }
    await page.getByText('admin (operator)').waitFor();
    // A browser says so itself where an answer is 401, and a store that is none has no containers.
    watched().complaints.length = 0;
  });

  it('shows users as text, and adds one after a preview', async () => {
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('cell', { name: EVIL, exact: true }).waitFor();
    await page.getByText('Users in sync on all 3 proxies').waitFor();
    await inspect(watched(), 'users');

    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByLabel('Account', { exact: true }).fill('new_one');
    await page.getByLabel('User', { exact: true }).fill('a b');
    // Nobody gets all rights for not looking.
    expect(await page.getByLabel('.admin:').isChecked()).to.equal(false);
    await page.getByLabel('.admin:').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('<new key>').first().waitFor();
    await inspect(watched(), 'users-preview');
    await page.getByRole('button', { name: 'Apply to all' }).click();
    const key = await page.getByLabel('Key (shown only once)', { exact: true }).inputValue();
    await watched().shoot('users-key');
    expect((await confs()).every((conf) => conf.includes(` = ${key} .admin\n`))).to.equal(true);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('cell', { name: 'a b', exact: true }).waitFor();
    expect(await page.content()).not.to.include(key);
  });

  it('says what became of each node when one fails', async () => {
    const before = await confs();
    await cluster().make(NODES[1]!, 'refuses');
    await page.getByRole('button', { name: 'Remove: new_one:a b' }).click();
    await page.getByRole('button', { name: 'Apply to all' }).click();
    await page.getByText('The proxy rejected the new configuration.').waitFor();
    await watched().shoot('users-failed');
    expect(await confs()).to.deep.equal(before);
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('says in what nodes disagree, and offers no change', async () => {
    await appendFile(cluster().file(NODES[2]!), '\n[filter:other]\n');
    const conf = await cluster().read(NODES[2]!);
    await writeFile(cluster().file(NODES[2]!), conf.replace('the-tester-key', 'another-key'));
    await page.reload();
    await page.getByText(`${NODES[2]}: test:tester`).waitFor();
    expect(await page.getByRole('button', { name: 'Create user' }).isDisabled()).to.equal(true);
    await watched().shoot('users-differ');
  });

  const textOf = async (name: string) =>
    (await saved(page, page.getByRole('button', { name }))).bytes.toString('utf8');

  it('shows the audit log as text, filters and saves it, and verifies it', async () => {
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('cell', { name: `admin:${EVIL}` }).waitFor();
    await page.getByLabel('Action').fill('users.');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('4 records').waitFor();
    const csv = (await textOf('Save CSV')).trim().split('\r\n');
    expect(csv[0]).to.equal('time,user,role,ip,action,account,target,result,request_id,details');
    expect(csv).to.have.length(5);
    const json = JSON.parse(await textOf('Save JSON')) as readonly { action: string }[];
    expect(json.map(({ action }) => action.startsWith('users.'))).to.deep.equal([
      ...[true, true, true, true],
    ]);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('4 records').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Verify log' }).click();
    await page.getByText('✓ Verified').waitFor();
    await inspect(watched(), 'audit');
    const log = join(cluster().root, 'state/audit.jsonl');
    await writeFile(log, (await readFile(log, 'utf8')).replace('denied', 'ok'));
    await page.getByRole('button', { name: 'Verify log' }).click();
    await page.getByText('✗ Line 2 of audit.jsonl').waitFor();
    await watched().shoot('audit-broken');
  });

  it('had nothing to complain of, and was shown no key', () => {
    const { answers, complaints } = watched();
    expect(complaints).to.deep.equal([]);
    expect(answers.join('\n')).not.to.match(/the-\w+-key|an-evil-key|another-key/);
  });
});
