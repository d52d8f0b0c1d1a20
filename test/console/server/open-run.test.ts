import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import { OpenRun } from '../../../console/server/runs/open-run.js';
import type { RunJournal } from '../../../console/server/runs/run-journal.js';
import { UnsuccessfulRun } from '../../../console/server/runs/run-result.js';
import type { RunControl, RunEntry, RunKind } from '../../../console/server/runs/run.js';

/** A run whose work is `run`. */
function openRun(
  run: (control: RunControl) => Promise<unknown>,
  kind: Partial<RunKind> = {},
): OpenRun {
  const entry = { id: 'r', params: {}, evidence: null, state: 'intent', deadline_unix_s: null };
  return new OpenRun({
    entry: entry as unknown as RunEntry,
    kind: { name: 'test.run', access: 'operate', kept: 1, resumes: false, run, ...kind },
    journal: { write: () => Promise.resolve() } as unknown as RunJournal,
    isResumed: false,
    now: () => 0,
    onChange: () => undefined,
    describe: (error) => error as ApiError,
  });
}

describe('console runs that do not succeed', () => {
  it('leave what they have found where they fail', async () => {
    const error = new ApiError('driver_failed', 'Two of three.');
    const run = openRun(() => Promise.reject(new UnsuccessfulRun({ found: 2 }, error)));
    expect(await run.act()).to.deep.equal({ found: 2 });
    const { code, message } = error;
    expect(run.over).to.deep.include({ state: 'failed', error: { code, message } });
  });

  it('leave what they have found where they are cancelled', async () => {
    const run = openRun(async ({ signal }) => {
      run.cut('cancelled');
      await Promise.resolve();
      throw new UnsuccessfulRun({ found: 1 }, signal.reason);
    });
    expect(await run.act()).to.deep.equal({ found: 1 });
    expect(run.over).to.deep.include({ state: 'cancelled', error: null });
  });

  it('have succeeded where they came to their end, of a kind that would throw otherwise', async () => {
    const cutAtLast = (returnsWhole: boolean) => {
      const run: OpenRun = openRun(
        () => {
          run.cut('console_ends');
          return Promise.resolve('all');
        },
        { returnsWhole },
      );
      return run;
    };
    const [whole, half] = [cutAtLast(true), cutAtLast(false)];
    expect([await whole.act(), whole.over?.state]).to.deep.equal(['all', 'done']);
    expect([await half.act(), half.over]).to.deep.equal([undefined, undefined]);
  });

  it('leave nothing where they found nothing', async () => {
    const run = openRun(() => Promise.reject(new ApiError('busy', 'No.')));
    expect(await run.act()).to.equal(undefined);
    expect(run.over?.state).to.equal('failed');
  });
});
