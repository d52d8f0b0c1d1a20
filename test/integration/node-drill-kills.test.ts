import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeStatusView } from '../../console/surfaces/lab/node/drills.js';
import { verifyNetJournal } from '../../console/surfaces/lab/net/net-journal.js';
import { ConsoleClient } from '../console/support/client.js';
import { kill } from '../console/lab/net-support.js';
import { startDrillCluster } from '../console/lab/node-support.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { consoleOf, consoleUp } from '../support/service-console.js';

type Victim = 'console' | 'supervisor' | 'dead-man';

/** Each of them first once, in a service of its own: the others follow within milliseconds. */
const ORDERS: readonly (readonly Victim[])[] = [
  ['console', 'dead-man', 'supervisor'],
  ['supervisor', 'console', 'dead-man'],
  ['dead-man', 'supervisor', 'console'],
];
/** Seconds, in which everything is killed also on a busy machine. */
const TTL_S = 12;

/** Begins a drill, kills in the given order, and says how the node came back. */
async function killIn(order: readonly Victim[]): Promise<string[]> {
  const cluster = await startDrillCluster(['object-server']);
  const stateDir = join(cluster.folder, 'state');
  const console_config = join(cluster.folder, 'console.json');
  await writeFile(console_config, JSON.stringify({ ...cluster.config, state_dir: stateDir }));
  const service = await startService({
    store: '127.0.0.1:0',
    console: '127.0.0.1:0',
    listeners: 1,
    config: { console_config },
  });
  try {
    const consolePid = await consoleUp(service);
    const { port, account, user, key } = consoleOf(service);
    const client = new ConsoleClient(port, { storeOrigin: service.endpoint, stateDir });
    const login = await client.login({ account, user, key });
    expect(login.status, login.text).to.equal(200);
    const down = await client.post('/lab/api/node/down', { node: 'node2', ttl_secs: TTL_S });
    expect(down.status, down.text).to.equal(202);
    await eventually(
      async () => (await client.get('/lab/api/node/status')).json() as NodeStatusView,
      ({ nodes }) => nodes[1]?.state === 'held_down',
    );
    const journal = await readFile(join(stateDir, 'runs', 'journal.jsonl'), 'utf8');
    const [, deadMan] = [...journal.matchAll(/"dead_men":\[(\d+),\d+\]/g)].at(-1) ?? [];
    const pids = {
      console: consolePid,
      supervisor: service.supervisorPid,
      'dead-man': Number(deadMan),
    };
    for (const victim of order) killIfThere(pids[victim]);
    await eventually(
      () => cluster.states('node2'),
      (states) => states['object-server'] === 'active',
    );
    const netFolder = join(stateDir, 'lab', 'net');
    const lines = await eventually(
      async () => (await readFile(join(netFolder, 'journal.jsonl'), 'utf8')).trimEnd().split('\n'),
      (all) => all.some((line) => line.includes('"state":"reverted"')),
    );
    expect((await verifyNetJournal(netFolder)).ok).to.equal(true);
    return lines.map((line) => {
      const { state, by } = JSON.parse(line) as { state: string; by: string };
      return `${state} ${by}`;
    });
  } finally {
    await service.kill9();
    await cluster.close();
  }
}

/** The end of one may have ended the other. */
function killIfThere(pid: number): void {
  try {
    kill(pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('service: a drill of a node whose console, supervisor and dead-man are killed', function () {
  // A guard: three services are started beside each other.
  this.timeout(300_000);

  it('is taken back at its time, in whichever order they were killed', async () => {
    const courses = await Promise.all(ORDERS.map(killIn));
    for (const [at, course] of courses.entries()) {
      expect(course.slice(0, 3), ORDERS[at]?.join()).to.deep.equal([
        'armed console',
        'reverting dead_man',
        'reverted dead_man',
      ]);
    }
  });
});
