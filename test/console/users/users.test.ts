import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeView } from '../../../console/surfaces/users/routes.js';
import { eventually } from '../../support/eventually.js';
import { useEach } from '../../support/fixture.js';
import { codeOf, type Answer, type ConsoleClient } from '../support/client.js';
import { CONF, FakeCluster, NODES } from './support.js';

interface Preview {
  readonly nodes: readonly { readonly node: string; readonly sha256: string }[];
}

interface Outcome extends ChangeView {
  readonly key: string;
}

const NEW = { action: 'add', account: 'new_one', user: 'a b', groups: ['.admin'] };
const REKEY = { action: 'change', account: 'test', user: 'tester', new_key: true };
const REMOVE = { action: 'remove', account: 'test', user: 'tester' };

describe('console users', () => {
  const cluster = useEach(() => FakeCluster.start(), 'close');
  let client: ConsoleClient;

  beforeEach(async () => {
    await cluster().startConsole();
    client = await cluster().login();
  });

  const apply = async (change: object, who = client): Promise<Answer> => {
    const preview = await who.post('/api/users/preview', change);
    if (preview.status !== 200) return preview;
    const { nodes } = preview.json() as Preview;
    const base = Object.fromEntries(nodes.map(({ node, sha256 }) => [node, sha256]));
    return who.post('/api/users/apply', { change, base });
  };

  const end = async (answer: Answer, who = client): Promise<Outcome> => {
    expect(answer.status, answer.text).to.equal(202);
    const { run_id: id, key = '' } = answer.json() as { run_id: string; key?: string };
    const change = await eventually(
      async () => (await who.get(`/api/users/changes/${id}`)).json() as unknown as ChangeView,
      ({ state }) => !['intent', 'active', 'reverting'].includes(state),
    );
    return { ...change, key };
  };

  const states = ({ nodes }: Outcome) => nodes.map(({ state }) => state);
  const confs = () => Promise.all(NODES.map((node) => cluster().read(node)));
  const audit = () => cluster().audit();

  it('lists users without their keys, to admins those of their account', async () => {
    const all = await client.get('/api/users');
    expect(all.json()).to.have.property('users').with.length(3);
    expect(all.text).not.to.match(/the-\w+-key/);
    const own = (await (await cluster().login('boss')).get('/api/users')).json() as {
      users: { account: string }[];
      groups: string[];
      nodes: { node: string }[];
    };
    // Where the proxies are is for operators.
    expect(own.nodes.map(({ node }) => node)).to.deep.equal(['proxy 1', 'proxy 2', 'proxy 3']);
    expect(own.users.map(({ account }) => account)).to.deep.equal(['test', 'test']);
    expect(own.groups).to.deep.equal(['.admin']);
    expect(codeOf(await (await cluster().login('tester')).get('/api/users'))).to.equal('forbidden');
  });

  it('shows what it would do, and does nothing', async () => {
    const preview = await client.post('/api/users/preview', NEW);
    expect(preview.json()).to.deep.nested.include({
      'nodes[2].diff': [{ line: 10, sign: '+', text: 'user64_bmV3X29uZQ_YSBi = <new key> .admin' }],
    });
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await readdir(join(cluster().root, NODES[0]!))).to.have.length(2);
  });

  it('adds, changes and removes a user on every node, who can log in, or not', async () => {
    const added = await end(await apply(NEW));
    expect(added).to.include({ state: 'done', error: null });
    const line = `user64_bmV3X29uZQ_YSBi = ${added.key} .admin\n`;
    const changed = CONF.replace('the-tester-key\n', `the-tester-key\n${line}`);
    expect(await confs()).to.deep.equal([changed, changed, changed]);

    const tester = await cluster().login('tester');
    const rekeyed = await end(await apply(REKEY));
    expect(rekeyed.key).to.match(/^[\w-]{43}$/);
    expect((await tester.get('/api/session')).status).to.equal(401);
    const again = await cluster().login('tester', rekeyed.key);
    expect((await again.get('/api/session')).status).to.equal(200);

    const groups = { ...REKEY, new_key: false, groups: ['.reseller_reader'] };
    expect((await end(await apply(groups))).key).to.equal('');
    expect(await cluster().read(NODES[1]!)).to.include(`${rekeyed.key} .reseller_reader\n`);

    expect(states(await end(await apply(REMOVE)))).to.deep.equal(['ok', 'ok', 'ok']);
    expect((await again.get('/api/session')).status).to.equal(401);
    expect(await cluster().read(NODES[2]!)).not.to.include(rekeyed.key);
  });

  it('keeps mode and backups, and shows keys to no other user', async () => {
    const folder = join(cluster().root, NODES[0]!);
    const backups = async () =>
      (await readdir(folder)).filter((name) => name.includes('.bak-')).sort();
    for (let i = 10; i < 22; i++) {
      await writeFile(`${cluster().file(NODES[0]!)}.bak-202001${i}T000000Z-00000000`, '');
    }
    const { key } = await end(await apply(NEW));
    expect((await stat(cluster().file(NODES[0]!))).mode & 0o777).to.equal(0o640);
    expect(await backups()).to.have.length(10);
    const backup = (await backups()).at(-1);
    expect(await readFile(join(folder, backup!), 'utf8')).to.equal(CONF);
    expect((await stat(join(folder, backup!))).mode & 0o777).to.equal(0o640);
    const runs = (await client.get('/api/runs')).text;
    const journal = await readFile(join(cluster().root, 'state/runs/journal.jsonl'), 'utf8');
    const lines = JSON.stringify(await audit());
    const commands = await readFile(join(cluster().root, 'commands'), 'utf8');
    for (const text of [runs, journal, lines, commands, cluster().logged.join('')]) {
      expect(text).not.to.include(key);
      expect(text).not.to.match(/the-\w+-key/);
    }
  });

  for (const [fault, reason] of [
    ['refuses', 'The proxy rejected the new configuration.'],
    ['deaf', 'The user cannot log in on this proxy.'],
    ['unwell', 'The proxy is not healthy.'],
  ] as const) {
    it(`takes all back when a node ${fault}`, async () => {
      await cluster().make(NODES[1]!, fault);
      const outcome = await end(await apply(NEW));
      expect(outcome).to.deep.include({
        state: 'reverted',
        error: { code: 'upstream_error', message: reason },
      });
      const second = fault === 'refuses' ? 'untouched' : 'reverted';
      expect(states(outcome)).to.deep.equal(['reverted', second, 'untouched']);
      expect(outcome.nodes[1]?.reason).to.equal(reason);
      expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
      expect(await cluster().read(NODES[0]!, 'active')).to.equal(CONF);
      expect((await audit()).at(-1)).to.deep.nested.include({
        action: 'users.add',
        result: 'failed',
        'details.nodes': `127.0.0.1=reverted 127.0.0.2=${second} 127.0.0.3=untouched`,
      });
    });
  }

  it('says which node cannot be reached, before anything is changed', async () => {
    await cluster().make(NODES[2]!, 'unreachable');
    const answer = await client.post('/api/users/preview', NEW);
    expect(codeOf(answer)).to.equal('upstream_error');
    expect(answer.text).to.include(NODES[2]!);
  });

  it('leaves alone what another administrator has changed since it was shown', async () => {
    const preview = (await client.post('/api/users/preview', NEW)).json() as Preview;
    const base = Object.fromEntries(preview.nodes.map(({ node, sha256 }) => [node, sha256]));
    await appendFile(cluster().file(NODES[1]!), '# edited by hand\n');
    const answer = await client.post('/api/users/apply', { change: NEW, base });
    expect(codeOf(answer)).to.equal('precondition_failed');

    // And when it is changed while the change is under way.
    await cluster().make(NODES[0]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[0]!);
    await appendFile(cluster().file(NODES[1]!), '# and again\n');
    await cluster().heal(NODES[0]!, 'blocked');
    const outcome = await end(running);
    expect(states(outcome)).to.deep.equal(['reverted', 'untouched', 'untouched']);
    expect(await confs()).to.deep.equal([CONF, `${CONF}# edited by hand\n# and again\n`, CONF]);
  });

  it('does nothing while nodes disagree, and says in what', async () => {
    await writeFile(cluster().file(NODES[1]!), CONF.replace('the-tester-key', 'another-key'));
    const answer = await client.post('/api/users/preview', NEW);
    expect(codeOf(answer)).to.equal('conflict');
    expect(answer.text).to.include('{"node":"127.0.0.2","users":["test:tester"],"settings":[]}');
    expect(answer.text).not.to.include('another-key');
    expect((await client.get('/api/users')).json()).to.deep.include({ users: [] });
  });

  it('takes back what a crash left half done, at the next start', async () => {
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    const crashed = await cluster().snapshot();
    await cluster().heal(NODES[1]!, 'blocked');
    await end(running);
    await cluster().console?.close();
    await cluster().goBackTo(crashed);
    await cluster().heal(NODES[1]!, 'blocked');
    expect(new Set(await confs()).size).to.equal(2);

    await cluster().startConsole();
    await eventually(audit, (records) => records.at(-1)?.result === 'failed');
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await cluster().read(NODES[0]!, 'active')).to.equal(CONF);
    client = await cluster().login();
    expect(states(await end(await apply(NEW)))).to.deep.equal(['ok', 'ok', 'ok']);
  });

  it('leaves a change alone that a former console is still at', async () => {
    const former = cluster().console;
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    try {
      // One that gives up, and one whose turn comes.
      await cluster().startConsole();
      await cluster().console?.close();
      await cluster().startConsole();
      await cluster().heal(NODES[1]!, 'blocked');
      expect(states(await end(running))).to.deep.equal(['ok', 'ok', 'ok']);
    } finally {
      await former?.close();
    }
    const changed = await cluster().read(NODES[0]!);
    expect(changed).not.to.equal(CONF);
    await cluster().login();
    await cluster().console?.close();
    expect(await confs()).to.deep.equal([changed, changed, changed]);
    expect((await audit()).map(({ result }) => result)).not.to.include('failed');
  });

  it('makes no other change before one that could not be taken back is', async () => {
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    expect(codeOf(await apply(REKEY))).to.equal('locked');
    await cluster().make(NODES[0]!, 'unreachable');
    await cluster().make(NODES[1]!, 'unwell');
    await cluster().heal(NODES[1]!, 'blocked');
    const outcome = await end(running);
    expect(states(outcome)).to.deep.equal(['stuck', 'reverted', 'untouched']);
    expect(outcome.nodes[0]?.after_sha256).to.equal(null);
    // Addresses of proxies are for operators alone.
    expect(outcome.error?.message).to.equal('The change could not be reverted on 1 proxy.');
    expect((await audit()).at(-1)).to.deep.nested.include({
      action: 'users.add',
      account: 'admin',
      result: 'failed',
      'details.nodes': '127.0.0.1=stuck 127.0.0.2=reverted 127.0.0.3=untouched',
    });
    await cluster().heal(NODES[1]!, 'unwell');
    const base = { [NODES[0]!]: '0'.repeat(64) };
    const refused = await client.post('/api/users/apply', { change: NEW, base });
    expect(refused.text).to.include('"nodes":["127.0.0.1"]');
    await cluster().heal(NODES[0]!, 'unreachable');
    await client.post('/api/users/apply', { change: NEW, base });
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
  });

  it('reloads a proxy whose file is back before it makes another change', async () => {
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    await cluster().make(NODES[0]!, 'broken');
    await cluster().make(NODES[1]!, 'unwell');
    await cluster().heal(NODES[1]!, 'blocked');
    const outcome = await end(running);
    expect(states(outcome)).to.deep.equal(['stuck', 'reverted', 'untouched']);
    const [stuck] = outcome.nodes;
    expect(stuck?.after_sha256).to.equal(stuck?.before_sha256);
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await cluster().read(NODES[0]!, 'active')).not.to.equal(CONF);
    await cluster().heal(NODES[0]!, 'broken');
    await cluster().heal(NODES[1]!, 'unwell');
    // The page asks for a preview before it makes a change.
    expect((await client.post('/api/users/preview', REKEY)).status).to.equal(200);
    const base = { [NODES[0]!]: '0'.repeat(64) };
    const refused = await client.post('/api/users/apply', { change: REKEY, base });
    expect(codeOf(refused)).to.equal('precondition_failed');
    expect(await cluster().read(NODES[0]!, 'active')).to.equal(CONF);
  });

  it('goes on when the session that began a change has ended', async () => {
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    await client.send('DELETE', '/api/session');
    await cluster().heal(NODES[1]!, 'blocked');
    client = await cluster().login();
    expect(states(await end(running))).to.deep.equal(['ok', 'ok', 'ok']);
    expect((await audit()).filter(({ action }) => action === 'users.add')).to.have.length(2);
  });

  it('reverts a change that an operator cancels', async () => {
    await cluster().make(NODES[1]!, 'blocked');
    const running = await apply(NEW);
    await cluster().untilBlocked(NODES[1]!);
    const { run_id: id } = running.json() as { run_id: string };
    expect((await client.send('DELETE', `/api/runs/${id}`)).status).to.equal(200);
    await cluster().heal(NODES[1]!, 'blocked');
    expect(states(await end(running))).to.deep.equal(['reverted', 'reverted', 'untouched']);
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect((await audit()).at(-1)).to.include({ action: 'users.add', result: 'failed' });
  });

  it('takes back what an earlier build left unfinished', async () => {
    const added = await end(await apply(NEW));
    const [first] = added.nodes;
    const { params } = await cluster().console!.context.runs.view(added.id);
    const { stamp } = params as { stamp: string };
    const nodes = added.nodes.map(({ node, before_sha256, after_sha256 }) => ({
      node,
      before_sha256,
      after_sha256,
      stamp,
    }));
    await cluster().console?.close();
    const file = join(cluster().root, 'state/users-change.json');
    await writeFile(file, JSON.stringify({ v: 1, target: 'new_one:a b', nodes }));
    await cluster().startConsole();
    await eventually(audit, (records) => records.at(-1)?.result === 'failed');
    expect(first?.before_sha256).not.to.equal(first?.after_sha256);
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await readdir(join(cluster().root, 'state'))).not.to.include('users-change.json');
  });

  it('asks for the right, and for what it can do', async () => {
    const boss = await cluster().login('boss');
    expect(codeOf(await apply(NEW, boss))).to.equal('forbidden');
    expect(
      codeOf(await boss.post('/api/users/preview', { ...REKEY, groups: ['.reseller_admin'] })),
    ).to.equal('forbidden');
    const rekeyed = await end(await apply(REKEY, boss), boss);
    expect(rekeyed.nodes[0]).to.deep.include({ node: 'proxy 1', state: 'ok' });
    expect(states(rekeyed)).to.deep.equal(['ok', 'ok', 'ok']);
    const others = await end(await apply({ ...REKEY, new_key: false, groups: [] }));
    expect(codeOf(await boss.get(`/api/users/changes/${others.id}`))).to.equal('not_found');
    expect((await client.get(`/api/users/changes/${rekeyed.id}`)).status).to.equal(200);
    for (const user of ['', 'käse', 'a/b', 'a:b', ' a', 'a\nb', 'x'.repeat(129)]) {
      expect((await client.post('/api/users/preview', { ...NEW, user })).status, user).to.equal(
        400,
      );
    }
  });
});

describe('console users: when they are off', () => {
  it('does nothing without account_admin, nor without users in the proxies', async () => {
    const cluster = await FakeCluster.start(CONF);
    try {
      await cluster.startConsole({ account_admin: false });
      const client = await cluster.login();
      expect((await client.get('/api/session')).json()).to.have.nested.property(
        'features.account_admin',
        false,
      );
      expect(codeOf(await client.get('/api/users'))).to.equal('feature_disabled');
      expect(codeOf(await client.post('/api/users/preview', NEW))).to.equal('feature_disabled');
      await cluster.console?.close();
      await cluster.startConsole();
      const again = await cluster.login();
      for (const node of NODES) {
        await writeFile(cluster.file(node), CONF.replace('errors tempauth', 'errors keystoneauth'));
      }
      expect(codeOf(await again.get('/api/users'))).to.equal('unsupported_here');
    } finally {
      await cluster.close();
    }
  });
});
