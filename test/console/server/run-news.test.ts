import { expect } from 'chai';
import type { OpenRun } from '../../../console/server/runs/open-run.js';
import { RunNews } from '../../../console/server/runs/run-news.js';
import { eventually } from '../../support/eventually.js';

describe('news of runs', () => {
  it('have the last progress before a long step, and no more than one of many', async () => {
    const told: unknown[] = [];
    const publish = (_topic: string, view: unknown) => told.push(view);
    const news = new RunNews({ publish }, () => 1000);
    const run = { entry: { id: 'r', state: 'active' }, progress: { done: 0, total: null } };
    for (const done of [1, 2, 3]) {
      run.progress = { done, total: null };
      news.changed(run as unknown as OpenRun);
    }
    const seen = await eventually(
      () => Promise.resolve(told),
      ({ length }) => length === 2,
    );
    const progress = seen.map((view) => (view as { progress: unknown }).progress);
    expect(progress).to.deep.equal([1, 3].map((done) => ({ done, total: null })));
    news.close();
  });
});
