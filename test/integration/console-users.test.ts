import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { ConsoleClient } from '../console/support/client.js';
import { CONF, FakeCluster, NODES } from '../console/users/support.js';
import { eventually } from '../support/eventually.js';
import { useEach } from '../support/fixture.js';
import { ringway } from '../support/ringway.js';
import { startService, type Service } from '../support/service.js';
import { consoleOf, consoleUp } from '../support/service-console.js';

const MAIN = fileURLToPath(new URL('../console/users/service-main.js', import.meta.url));
const NEW = { action: 'add', account: 'test', user: 'new', groups: [] };
const [FIRST = '', SECOND = '', THIRD = ''] = NODES;

describe('service: a reload in the middle of a change of users', function () {
  // A guard: many processes are started, one after the other.
  this.timeout(180_000);
  const cluster = useEach(() => FakeCluster.start(), 'close');
  let service: Service;
  let client: ConsoleClient;

  afterEach(async () => {
    await service.stop();
  });

  async function start(config: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const file = join(cluster().root, 'console.json');
    await writeFile(file, JSON.stringify(cluster().keys()));
    service = await startService({
      main: MAIN,
      console: '127.0.0.1:0',
      listeners: 1,
      config: { console_config: file, ...config },
      env: { TEST_SSH: cluster().ssh },
    });
    await consoleUp(service);
    client = await login();
  }

  const login = () =>
    cluster().login('admin', undefined, cluster().client(consoleOf(service).port));

  /** @returns the key of the new user */
  async function apply(): Promise<string> {
    const { nodes } = (await client.post('/api/users/preview', NEW)).json() as {
      nodes: { node: string; sha256: string }[];
    };
    const base = Object.fromEntries(nodes.map(({ node, sha256 }) => [node, sha256]));
    const answer = await client.post('/api/users/apply', { change: NEW, base });
    expect(answer.status, answer.text).to.equal(202);
    return (answer.json() as { key: string }).key;
  }

  /** @returns the console that was, which is still at its change, and the reload's end */
  async function reloadMeanwhile() {
    const former = await consoleUp(service);
    const reloaded = ringway(service, 'reload');
    await consoleUp(service, former);
    return { former, reloaded };
  }

  const confs = (name?: string) => Promise.all(NODES.map((node) => cluster().read(node, name)));
  const outcomes = async () =>
    (await cluster().audit())
      .filter(({ action, result }) => action === 'users.add' && result !== 'begun')
      .map(({ target, result, details }) => `${target} ${String(details?.nodes)} ${result}`);

  it('takes the change back from every node that has it, and says so', async () => {
    await start();
    await cluster().make(SECOND, 'blocked');
    await apply();
    await cluster().untilBlocked(SECOND);
    const { reloaded } = await reloadMeanwhile();
    // Nobody is logged in before the nodes agree.
    const loggedIn = login();
    await cluster().heal(SECOND, 'blocked');
    client = await loggedIn;
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await confs('active')).to.deep.equal([CONF, CONF, CONF]);
    await eventually(outcomes, (all) => all.length === 1);
    expect(await outcomes()).to.deep.equal([
      `test:new ${FIRST}=reverted ${SECOND}=reverted ${THIRD}=untouched failed`,
    ]);
    expect(await reloaded).to.include({ code: 0 });
    await apply();
    await eventually(outcomes, (all) => all.length === 2);
    expect((await outcomes())[1]).to.match(/ ok$/);
  });

  it('completes the change where only its last node was left', async () => {
    await start();
    await cluster().make(THIRD, 'blocked');
    const key = await apply();
    await cluster().untilBlocked(THIRD);
    const { reloaded } = await reloadMeanwhile();
    await cluster().heal(THIRD, 'blocked');
    client = await login();
    expect(await outcomes()).to.deep.equal([`test:new ${FIRST}=ok ${SECOND}=ok ${THIRD}=ok ok`]);
    const [first = '', ...others] = await confs();
    expect(first).to.include(key);
    expect(others).to.deep.equal([first, first]);
    expect(await confs('active')).to.deep.equal([first, first, first]);
    expect(await reloaded).to.include({ code: 0 });
  });

  it('lets the next console take the change back where the former one was killed for its time', async () => {
    await start({ drain_timeout_ms: 200 });
    await cluster().make(SECOND, 'blocked');
    await apply();
    await cluster().untilBlocked(SECOND);
    const { former, reloaded } = await reloadMeanwhile();
    await eventually(
      () => Promise.resolve(existsSync(`/proc/${former}`)),
      (isThere) => !isThere,
    );
    // Its files first: a proxy is told when they are back.
    await eventually(confs, (texts) => texts.every((text) => text === CONF));
    expect(await outcomes()).to.deep.equal([]);
    await cluster().heal(SECOND, 'blocked');
    await eventually(outcomes, (all) => all.length === 1);
    expect(await confs()).to.deep.equal([CONF, CONF, CONF]);
    expect(await confs('active')).to.deep.equal([CONF, CONF, CONF]);
    await reloaded;
    client = await login();
    expect((await client.get('/api/users')).json()).to.deep.include({ differences: [] });
  });
});
