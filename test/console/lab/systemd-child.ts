import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { openDriver } from '../../../console/nodes/open-driver.js';
import type { ServiceVerb } from '../../../console/nodes/driver.js';
import { isOver } from '../../../console/server/runs/run.js';
import { eventually } from '../../support/eventually.js';
import { nodesIn, OBJECT_SERVER, openNet } from './net-support.js';
import { BY } from '../support/runs.js';

/**
 * A program among the processes of a systemd. `drive <folder> <verb>…`: does the verbs with the
 * driver, and prints the state after each. `hold <folder> <seconds>`: is a console with a fault, which
 * says in the folder that it holds it, or how it ended.
 */
const [, , what = '', folder = '', ...rest] = process.argv;
const nodes = await nodesIn(folder, []);
const [node] = nodes;
if (node === undefined) throw new Error('no node');

if (what === 'drive') {
  const driver = openDriver('local-systemd');
  if (driver === undefined) throw new Error('no driver');
  const seen = [];
  for (const verb of rest) {
    if (verb !== 'status') await driver.act(node, OBJECT_SERVER, verb as ServiceVerb);
    const [status] = await driver.status(node, [OBJECT_SERVER]);
    seen.push(status);
  }
  process.stdout.write(JSON.stringify(seen));
} else {
  const say = (name: string, value: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
  };
  const onHeld = () => {
    say('held', true);
  };
  const opened = openNet(folder, nodes, { nodeDriver: 'local-systemd', onHeld });
  await opened.runs.recover();
  const params = { hold_s: Number(rest[0]) };
  const { id } = await opened.net.start('test.stop', { params, target: 'node1', ttlS: 60 }, BY);
  const run = await eventually(
    () => opened.runs.get(id),
    ({ state }) => isOver(state),
    600_000,
  );
  say('over', run);
  await opened.close();
}
