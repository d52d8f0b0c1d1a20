import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import { until } from '../../support/until.js';
import { loadLabTool } from './tools.js';

describe('swift-lab: processes', () => {
  const id = randomUUID();
  let children: ChildProcess[] = [];

  async function start(script: string, lab: string, service: string): Promise<ChildProcess> {
    const { marked } = await loadLabTool('processes.mjs');
    const child = spawn('sh', ['-c', script], {
      detached: true,
      env: { ...process.env, ...marked(lab, service) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
  });

  it('finds its own, with what they started, and no one else’s', async () => {
    const { labProcesses } = await loadLabTool('processes.mjs');
    const child = await start('sleep 60 & echo started; wait', id, 'object-server.node1');
    await start('echo started; exec sleep 60', randomUUID(), 'object-server.node1');

    const found = labProcesses(id);
    expect(found).to.have.length(2);
    expect(found.every(({ service }) => service === 'object-server.node1')).to.be.true;
    expect(found.filter(({ isLeader }) => isLeader).map(({ pid }) => pid)).to.deep.equal([
      child.pid,
    ]);
    for (const { pid } of found) process.kill(pid, 'SIGKILL');
  });

  it('ends children of a parent that was killed', async () => {
    const { endProcesses, labProcesses } = await loadLabTool('processes.mjs');
    const child = await start('sleep 60 & echo started; wait', id, 'proxy-1');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await until(() => labProcesses(id).length === 1);
    await endProcesses(id, () => true);
    expect(labProcesses(id)).to.deep.equal([]);
  });

  it('ends the paused, and those that will not listen', async () => {
    const { endProcesses, labProcesses } = await loadLabTool('processes.mjs');
    const paused = await start('echo started; exec sleep 60', id, 'paused');
    paused.kill('SIGSTOP');
    await start("trap '' TERM; echo started; while :; do sleep 60; done", id, 'deaf');
    await until(() => labProcesses(id).some(({ isPaused }) => isPaused));
    await endProcesses(id, () => true);
    expect(labProcesses(id)).to.deep.equal([]);
  });

  it('leaves alone what is not wanted', async () => {
    const { endProcesses, labProcesses } = await loadLabTool('processes.mjs');
    await start('echo started; exec sleep 60', id, 'one');
    await start('echo started; exec sleep 60', id, 'other');
    await endProcesses(id, ({ service }) => service === 'one', { force: true });
    expect(labProcesses(id).map(({ service }) => service)).to.deep.equal(['other']);
  });

  it('shows a table', async () => {
    const { statusTable } = await loadLabTool('status.mjs');
    const lines = statusTable([
      { name: 'proxy-1', address: '127.0.0.1:20000', pids: [7, 8], health: 'up' },
      { name: 'memcached', address: '127.0.0.1:2', pids: [], health: 'down' },
    ]);
    expect(lines).to.deep.equal([
      'SERVICE    ADDRESS          PID  HEALTH',
      'proxy-1    127.0.0.1:20000  7,8  up',
      'memcached  127.0.0.1:2      -    down',
    ]);
  });
});
