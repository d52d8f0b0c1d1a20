import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import type { RunControl, RunKind, RunView } from '../../../console/server/runs/run.js';
import { Runs } from '../../../console/server/runs/runs.js';
import { eventually } from '../../support/eventually.js';
import { watchSyncs } from '../../support/file-syncs.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

const BY = { actor: 'test:tester', role: 'operator', ip: '127.0.0.1', request_id: 'tx' };

describe('what console runs act with, and take back', () => {
  let folder: string;
  let runs: Runs;
  const told: RunView[] = [];
  const calls: string[] = [];
  let end: (error: Error) => void;
  let control: RunControl | undefined;

  beforeEach(async () => {
    folder = await makeTempFolder('run-means');
    control = undefined;
    for (const list of [told, calls]) list.splice(0);
    runs = new Runs({
      stateDir: folder,
      events: { publish: (_topic, view) => told.push(view as RunView) },
      audit: { turn: () => Promise.resolve(true), write: () => Promise.resolve() },
      now: () => 1_700_000_000_000,
      logger: { error: () => undefined, info: () => undefined },
      retryMs: 10,
      describe: (error) =>
        error instanceof ApiError ? error : new ApiError('internal', 'It failed.'),
    });
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
    runs.register(kind);
  });

  afterEach(async () => {
    await runs.close();
    await removeFolder(folder);
  });

  const start = async () => {
    const means = { password: 'testing' };
    const request = { params: { node: 'n1' }, target: 'n1', lock: null, means };
    const { id } = await runs.start('test.means', request, BY);
    await eventually(() => Promise.resolve(control), Boolean);
    return { id, means };
  };
  const reverted = (id: string) =>
    eventually(
      () => runs.get(id),
      ({ state }) => state === 'reverted',
    );

  it('is neither written nor told, and gone once the run has acted', async () => {
    const { id, means } = await start();
    expect(control?.means).to.equal(means);
    end(new Error('It failed.'));
    expect(JSON.stringify([await reverted(id), told])).not.to.include('testing');
    expect(await readFile(join(folder, 'runs', 'journal.jsonl'), 'utf8')).not.to.include('testing');
    expect(calls).to.deep.equal(['revert undefined']);
  });

  it('is taken back where that cannot be written down, which is done when there is room', async () => {
    const { id } = await start();
    const disk = { isFull: true };
    const onSync = () => {
      if (disk.isFull) throw new Error('ENOSPC');
    };
    await watchSyncs(onSync, async () => {
      await runs.cancel(id);
      await eventually(() => Promise.resolve(calls), ({ length }) => length === 1); // prettier-ignore
      const { evidence } = await eventually(() => runs.view(id), (run) => run.evidence !== null); // prettier-ignore
      expect(evidence).to.deep.equal({ taken: 'back' });
      disk.isFull = false;
      expect((await reverted(id)).evidence).to.deep.equal({ taken: 'back' });
    });
  });
});
