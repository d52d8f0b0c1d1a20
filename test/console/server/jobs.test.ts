import { expect } from 'chai';
import type { ApiError } from '../../../console/server/api-error.js';
import { Jobs } from '../../../console/server/jobs.js';
import type { Session } from '../../../console/server/sessions.js';

describe('jobs at the end of the console', () => {
  it('are waited for until they have written down what became of them, and no longer', async () => {
    const jobs = new Jobs({
      events: { publish: () => undefined },
      now: () => 0,
      describe: (error) => error as ApiError,
    });
    const session = { ended: new AbortController() } as unknown as Session;
    const written: string[] = [];
    let record: () => void = () => undefined;
    const recorded = new Promise<void>((resolve) => (record = resolve));
    jobs.start(session, 'slow', async () => {
      await recorded;
      written.push('cut');
    });
    session.ended.abort();
    await jobs.close(0);
    expect(written).to.deep.equal([]);
    const closing = jobs.close();
    setImmediate(record);
    await closing;
    expect(written).to.deep.equal(['cut']);
  });
});
