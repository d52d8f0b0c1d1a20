import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import { Jobs } from '../../../console/server/jobs.js';
import type { Session } from '../../../console/server/sessions.js';

const openJobs = () =>
  new Jobs({
    events: { publish: () => undefined },
    now: () => 0,
    describe: (error) => error as ApiError,
  });
const openSession = () => ({ ended: new AbortController() }) as unknown as Session;

describe('jobs of a session', () => {
  const held = () => new Promise<void>(() => undefined);

  it('wait, up to ten of them, and can be cancelled before they begin', () => {
    const [jobs, session] = [openJobs(), openSession()];
    const dropped: string[] = [];
    const start = (name: string) =>
      jobs.start(session, name, held, () => Promise.resolve(void dropped.push(name)));
    for (const name of ['first', 'second']) expect(start(name).state).to.equal('running');
    const waiting = Array.from({ length: 10 }, (_, i) => start(`waiting ${i}`));
    expect(waiting.map(({ state }) => state)).to.deep.equal(Array(10).fill('queued'));
    expect(() => start('one too many'))
      .to.throw(ApiError)
      .with.property('code', 'busy');
    expect(jobs.cancel(session, waiting[3]!.id).state).to.equal('cancelled');
    expect(dropped).to.deep.equal(['waiting 3']);
    expect(start('another').state).to.equal('queued');
  });

  it('end with it: those that wait never begin, and no other does', () => {
    const [jobs, session] = [openJobs(), openSession()];
    const dropped: string[] = [];
    const start = (name: string) =>
      jobs.start(session, name, held, () => Promise.resolve(void dropped.push(name)));
    for (const name of ['first', 'second', 'third', 'fourth']) start(name);
    session.ended.abort();
    expect(dropped).to.deep.equal(['third', 'fourth']);
    expect(jobs.list(session)).to.deep.equal([]);
    expect(() => start('late'))
      .to.throw(ApiError)
      .with.property('code', 'unauthenticated');
  });
});

describe('jobs at the end of the console', () => {
  it('are waited for until they have written down what became of them, and no longer', async () => {
    const [jobs, session] = [openJobs(), openSession()];
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
