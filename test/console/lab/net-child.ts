import process from 'node:process';
import { watchSyncs } from '../../support/file-syncs.js';
import { BreakAll, PAUSED } from './break-all.js';
import { nodesIn, OBJECT_SERVER, openNet } from './net-support.js';
import { BY } from '../support/runs.js';

/**
 * A console with one fault that ends without a word at the given sync of a file or folder: `folder`,
 * the number of the sync, for how many seconds the fault may last, and its kind. A fault that is to be
 * killed at no sync is held; with `hangs` the console stands still in the midst of its step.
 */
const [folder = '', killAt = '0', holdS = '60', kind = 'test.stop', hangs = ''] =
  process.argv.slice(2);
const nodes = await nodesIn(folder, [OBJECT_SERVER, PAUSED]);
let syncs = 0;
const onSync = () => {
  syncs += 1;
  if (syncs === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};
await watchSyncs(onSync, async () => {
  const isEndless = killAt === '0';
  const opened = openNet(folder, nodes, {
    holds: isEndless,
    onHeld: (end) => {
      process.stdout.write('held\n');
      if (!isEndless) void end();
    },
  });
  opened.net.register(new BreakAll(folder, () => opened.net));
  await opened.runs.recover();
  const params = { hold_s: Number(holdS), waits: isEndless, hangs: hangs === 'hangs' };
  const ttlS = kind === 'test.stop' ? 60 : Number(holdS);
  const { id } = await opened.net.start(kind, { params, target: 'node1', ttlS }, BY);
  while (opened.net.active !== undefined) await new Promise((again) => setTimeout(again, 10));
  const { state } = await opened.runs.get(id);
  process.stdout.write(`${state}\n`);
  await opened.close();
});
