import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import type { RunControl, RunKind, RunView } from '../../../console/server/runs/run.js';
import { verifyJournal } from '../../../console/server/runs/run-journal.js';
import type { Runs } from '../../../console/server/runs/runs.js';
import type { AuditEvent } from '../../../src/lib/audit/audit-log.js';
import { UNFINISHED } from '../../../src/lib/durable-file.js';
import { eventually } from '../../support/eventually.js';
import { watchSyncs } from '../../support/file-syncs.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { startTestBed } from '../support/console.js';
import { BY, openRuns } from '../support/runs.js';

/** A run that a test ends: `end` lets it succeed or fail. */
class Fault implements RunKind<{ node: string }, { ok: string }> {
  readonly name = 'test.fault';
  readonly access = 'operate';
  readonly kept = 3;
  readonly calls: string[] = [];
  readonly controls: RunControl<{ node: string }>[] = [];
  resumes = false;
  isTemporary = true;
  reverts: (() => Promise<void>) | undefined;
  #end: ((error?: Error) => void) | undefined;

  async run(control: RunControl<{ node: string }>): Promise<{ ok: string }> {
    this.calls.push(`run ${control.params.node}`);
    this.controls.push(control);
    await new Promise<void>((resolve, reject) => {
      control.signal.addEventListener('abort', () => {
        resolve();
      });
      this.#end = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
    });
    return { ok: control.params.node };
  }

  end(error?: Error): void {
    this.#end?.(error);
  }
}

class RevertedFault extends Fault {
  async revert({ evidence }: RunControl<{ node: string }>): Promise<void> {
    this.calls.push(`revert ${JSON.stringify(evidence)}`);
    await this.reverts?.();
  }
}

describe('console runs', () => {
  const folder = useTempFolder('runs');
  const audit = useEach<AuditEvent[]>(() => []);
  const told = useEach<RunView[]>(() => []);
  let kind: Fault;
  let runs: Runs;
  let now = 1_700_000_000_000;

  const opened = (one: Fault = kind): Runs => {
    const write = (event: AuditEvent) => {
      audit().push(event);
      return Promise.resolve();
    };
    const made = openRuns(folder(), {
      events: { publish: (_topic, view) => told().push(view as RunView) },
      audit: { turn: () => Promise.resolve(true), write },
      now: () => now,
    });
    made.register(one);
    return made;
  };

  beforeEach(() => {
    now = 1_700_000_000_000;
    kind = new RevertedFault();
    runs = opened();
  });

  afterEach(async () => {
    await runs.close();
  });

  const start = (node = 'n1', ttlS?: number) => {
    const request = { params: { node }, target: node, lock: 'faults' };
    return runs.start('test.fault', ttlS === undefined ? request : { ...request, ttlS }, BY);
  };
  const begun = (count = 1) =>
    eventually(
      () => Promise.resolve(kind.controls),
      ({ length }) => length === count,
    );
  const ended = (id: string) =>
    eventually(
      () => runs.get(id),
      () => runs.holder('faults') === undefined,
    );
  /** The states that the journal has of all runs, in order. */
  const journaled = async () => {
    const text = await readFile(join(folder(), 'runs', 'journal.jsonl'), 'utf8');
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as { state: string }).state);
  };
  const files = () => readdir(join(folder(), 'runs'));
  /** Ends this console, and starts the next one. */
  const restart = async (next: Fault = kind) => {
    await runs.close();
    runs = opened(next);
    await runs.recover();
  };

  it('are on the disk before they begin, and when they have ended', async () => {
    const syncs: string[] = [];
    const { id } = await watchSyncs(
      ({ path }) => {
        syncs.push(`${path.slice(folder().length)} ${kind.calls.length}`);
      },
      () => start(),
    );
    expect(syncs).to.deep.equal(['/runs/journal.jsonl 0']);
    kind.end();
    const run = await ended(id);
    expect(run).to.deep.include({ state: 'done', result: { ok: 'n1' }, actor: BY.actor });
    expect(await journaled()).to.deep.equal(['intent', 'done']);
    expect(audit().map(({ action, result }) => `${action} ${result}`)).to.deep.equal([
      'test.fault begun',
      'test.fault ok',
    ]);
    expect(told().map(({ state }) => state)).to.deep.equal(['active', 'done']);
    expect(kind.calls).to.deep.equal(['run n1']);
    // The next console still knows it, with its result.
    await restart();
    expect(await runs.get(id)).to.deep.equal({ ...run, progress: null });
    expect(await verifyJournal(folder())).to.include({ ok: true, records: 2 });
  });

  it('do nothing when their intent cannot be written', async () => {
    await runs.recover();
    const fail = (): void => {
      throw new Error('EIO');
    };
    expect(await watchSyncs(fail, () => start()).catch(String)).to.equal('Error: EIO');
    expect(kind.calls).to.deep.equal([]);
    expect(await runs.list()).to.deep.equal([]);
    await start();
  });

  it('do nothing when they are cancelled while their intent is written', async () => {
    await runs.recover();
    const cancel = async (): Promise<void> => {
      const [run] = await runs.list();
      if (run?.state === 'intent') await runs.cancel(run.id);
    };
    const { id } = await watchSyncs(cancel, () => start());
    expect(await ended(id)).to.include({ state: 'reverted', error: null });
    expect(kind.calls).to.deep.equal(['revert null']);
  });

  it('exclude others with the same lock, and say who holds it', async () => {
    const { id } = await start();
    const refused = await start('n2').catch((error: unknown) => error as ApiError);
    expect(refused).to.include({ code: 'locked', status: 423 });
    expect((refused as ApiError).details).to.include({ id, actor: BY.actor });
    kind.end();
    await ended(id);
    await start('n2');
  });

  it('are taken back when they fail, by what they noted', async () => {
    const { id } = await start();
    const [control] = await begun();
    await control?.note({ pid: 7 });
    kind.end(new ApiError('busy', 'No room.'));
    const run = await ended(id);
    expect(run).to.deep.include({
      state: 'reverted',
      error: { code: 'busy', message: 'No room.' },
    });
    expect(kind.calls).to.deep.equal(['run n1', 'revert {"pid":7}']);
    expect(await journaled()).to.deep.equal(['intent', 'active', 'reverting', 'reverted']);
    expect(audit().at(-1)).to.deep.include({ result: 'failed' });
  });

  it('are taken back when they are cancelled, and when their time is over', async () => {
    const cancelled = await start();
    await runs.cancel(cancelled.id);
    expect((await ended(cancelled.id)).state).to.equal('reverted');
    const late = await start('n2', 0);
    const run = await ended(late.id);
    expect(run).to.include({ state: 'reverted', error: null });
    expect(audit().at(-1)).to.deep.include({ result: 'ok' });
    expect(kind.calls).to.include.members(['revert null']);
    // A change that is taken back has failed.
    kind.isTemporary = false;
    await ended((await start('n3', 0)).id);
    expect(audit().at(-1)).to.deep.include({ target: 'n3', result: 'failed' });
  });

  it('that cannot be taken back hold their lock until they are', async () => {
    kind.reverts = () => Promise.reject(new ApiError('busy', 'Unreachable.'));
    const { id } = await start();
    await runs.cancel(id);
    await eventually(
      () => runs.get(id),
      ({ state }) => state === 'stuck',
    );
    expect(await runs.ended(id)).to.include({ state: 'stuck' });
    expect(audit().at(-1)).to.deep.nested.include({ result: 'failed', 'details.state': 'stuck' });
    expect(await start('n2').catch((error: unknown) => (error as ApiError).code)).to.equal(
      'locked',
    );
    // Also over the end of the console: it is tried again.
    kind.reverts = undefined;
    await restart();
    expect((await ended(id)).state).to.equal('reverted');
    expect((await journaled()).join(' ')).to.equal('intent reverting stuck reverting reverted');
  });

  for (const resumes of [true, false]) {
    it(`are ${resumes ? 'done again' : 'taken back'} at the next start`, async () => {
      kind.resumes = resumes;
      const { id } = await start();
      const [control] = await begun();
      await control?.note({ step: 1 });
      await restart();
      if (resumes) {
        const [, again] = await begun(2);
        expect(again).to.deep.include({ isResumed: true, evidence: { step: 1 }, id });
        expect(runs.holder('faults')?.id).to.equal(id);
        kind.end();
      }
      expect((await ended(id)).state).to.equal(resumes ? 'done' : 'reverted');
    });
  }

  it('are not done again when their time was over meanwhile', async () => {
    kind.resumes = true;
    const { id } = await start('n1', 60);
    await runs.close();
    now += 61_000;
    runs = opened();
    await runs.recover();
    expect((await ended(id)).state).to.equal('reverted');
  });

  it('have failed when they can be neither done again nor taken back', async () => {
    kind = Object.assign(new Fault(), {
      abandon: ({ evidence }: { readonly evidence: unknown }) => kind.calls.push(`abandon ${JSON.stringify(evidence)}`), // prettier-ignore
    });
    runs = opened();
    const { id } = await start();
    await begun();
    await kind.controls[0]?.note({ pid: 7 });
    await restart();
    expect(await ended(id)).to.deep.include({ state: 'failed' });
    expect((await runs.get(id)).error?.code).to.equal('interrupted');
    expect(kind.calls).to.deep.equal(['run n1', 'abandon {"pid":7}']);
  });

  it('survive half a line that a crash has left', async () => {
    kind.resumes = true;
    const { id } = await start();
    await runs.close();
    await appendFile(join(folder(), 'runs', 'journal.jsonl'), '{"v":1,"id":"half');
    runs = opened();
    await runs.recover();
    await begun(2);
    expect((await runs.list()).map((run) => run.id)).to.deep.equal([id]);
    kind.end();
    await ended(id);
    expect(await verifyJournal(folder())).to.include({ ok: true });
  });

  it('are kept up to a number, with their results', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      now += 1000;
      const { id } = await start();
      kind.end();
      await ended(id);
      ids.unshift(id);
    }
    expect((await runs.list()).map(({ id }) => id)).to.deep.equal(ids.slice(0, 3));
    await eventually(files, ({ length }) => length === 4);
    await restart();
    expect((await runs.list()).map(({ id }) => id)).to.deep.equal(ids.slice(0, 3));
  });

  it('keep the result in memory that cannot be written', async () => {
    const { id } = await start();
    const fail = ({ path }: { path: string }): void => {
      if (UNFINISHED.test(path)) throw new Error('ENOSPC');
    };
    await watchSyncs(fail, async () => {
      kind.end();
      await ended(id);
    });
    expect(await runs.get(id)).to.deep.include({ state: 'done', result: { ok: 'n1' } });
    // Neither what was written of it stays, nor what a crash has left.
    expect(await files()).to.deep.equal(['journal.jsonl']);
    await writeFile(join(folder(), 'runs', `${id}.json.1-0-1.tmp`), '{');
    await restart();
    expect(await files()).to.deep.equal(['journal.jsonl']);
  });

  it('stay listed however many ended after them, until they are over', async () => {
    const { id } = await start();
    const other: RunKind = {
      name: 'test.short',
      access: 'operate',
      kept: 2,
      resumes: false,
      run: () => Promise.resolve(null),
    };
    runs.register(other);
    // Each line is 30 KB: the journal lets go of its oldest files.
    const params = { text: 'x'.repeat(30_000) };
    for (let n = 0; n < 180; n++) {
      const one = await runs.start('test.short', { params, target: '', lock: 'short' }, BY);
      await eventually(
        () => runs.get(one.id).catch(() => undefined),
        () => runs.holder('short') === undefined,
      );
    }
    expect(await files()).not.to.include('journal-00000001.jsonl');
    expect(await verifyJournal(folder())).to.include({ ok: true });
    await restart();
    expect((await ended(id)).state).to.equal('reverted');
  });

  it('are for operators alone', async () => {
    await using bed = await startTestBed();
    const member = await bed.login('tester2', 'testing2');
    expect((await member.get('/api/runs')).status).to.equal(403);
    expect((await member.get('/api/events?topics=runs')).status).to.equal(403);
    const operator = await bed.login();
    expect(await operator.read('/api/runs')).to.deep.equal({ items: [] });
    const path = '/api/runs/00000000-0000-4000-8000-000000000000';
    expect((await operator.get(path)).status).to.equal(404);
    expect((await operator.send('DELETE', path)).status).to.equal(404);
  });
});
