import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunControl, RunKind, RunView } from '../../../console/server/runs/run.js';
import { eventually } from '../../support/eventually.js';
import { watchSyncs } from '../../support/file-syncs.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { BY, openRuns } from '../support/runs.js';

describe('what console runs act with, and take back', () => {
  const folder = useTempFolder('run-means');
  const told: RunView[] = [];
  const calls: string[] = [];
  let end: (error: Error) => void;
  let control: RunControl | undefined;

  const runs = useEach(() => {
    control = undefined;
    for (const list of [told, calls]) list.splice(0);
    const events = { publish: (_topic: string, view: unknown) => told.push(view as RunView) };
    const opened = openRuns(folder(), { events, retryMs: 10 });
    const kind: RunKind = {
      ...{ name: 'test.means', access: 'operate', kept: 9, resumes: false },
      run: (given) => {
        control = given;
        return new Promise((_, reject) => {
          end = reject;
          given.signal.addEventListener('abort', () => {
            reject(new Error('cancelled'));
          });
        });
      },
      revert: async ({ means, note }) => {
        calls.push(`revert ${String(means)}`);
        await note({ taken: 'back' });
      },
    };
    opened.register(kind);
    return opened;
  }, 'close');

  const start = async () => {
    const means = { password: 'testing' };
    const request = { params: { node: 'n1' }, target: 'n1', lock: null, means };
    const { id } = await runs().start('test.means', request, BY);
    await until(() => control !== undefined);
    return { id, means };
  };
  const reverted = (id: string) =>
    eventually(
      () => runs().get(id),
      ({ state }) => state === 'reverted',
    );

  it('is neither written nor told, and gone once the run has acted', async () => {
    const { id, means } = await start();
    expect(control?.means).to.equal(means);
    end(new Error('It failed.'));
    expect(JSON.stringify([await reverted(id), told])).not.to.include('testing');
    expect(await readFile(join(folder(), 'runs', 'journal.jsonl'), 'utf8')).not.to.include(
      'testing',
    );
    expect(calls).to.deep.equal(['revert undefined']);
  });

  it('is taken back where that cannot be written down, which is done when there is room', async () => {
    const { id } = await start();
    const disk = { isFull: true };
    const onSync = () => {
      if (disk.isFull) throw new Error('ENOSPC');
    };
    await watchSyncs(onSync, async () => {
      await runs().cancel(id);
      await until(() => calls.length === 1);
      const { evidence } = await eventually(() => runs().view(id), (run) => run.evidence !== null); // prettier-ignore
      expect(evidence).to.deep.equal({ taken: 'back' });
      disk.isFull = false;
      expect((await reverted(id)).evidence).to.deep.equal({ taken: 'back' });
    });
  });
});
