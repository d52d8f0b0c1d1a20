import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { seedsOf, type ShadowCase } from '../../../console/surfaces/lab/shadow/case.js';
import { Duel, type StepResult } from '../../../console/surfaces/lab/shadow/duel.js';
import { OPERATORS } from '../../../console/surfaces/lab/shadow/mutation.js';
import { ShadowFiles } from '../../../console/surfaces/lab/shadow/shadow-files.js';
import { ShadowRun } from '../../../console/surfaces/lab/shadow/shadow-run.js';
import type { ShadowWholeRun } from '../../../console/surfaces/lab/shadow/shadow-runs.js';
import type { ShadowSide } from '../../../console/surfaces/lab/shadow/side.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolder, useTempFolderOnce } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { codeOf, expectRefused } from '../support/client.js';
import { REAL_CLOCK, startTestBed } from '../support/console.js';
import { startPeerShim } from './support.js';

describe('a duel of Shadow', () => {
  it('removes the container of one side where the other side makes none', async () => {
    const removed: string[] = [];
    const side = (create: () => Promise<string>) =>
      ({
        create,
        remove: (container: string) => {
          removed.push(container);
          return Promise.resolve();
        },
      }) as unknown as ShadowSide;
    const duel = new Duel(
      side(() => Promise.resolve('shadow-a')),
      side(() => Promise.reject(new Error('container: 503'))),
    );
    const problem = await duel.run(seedsOf('swift')[0]!).catch((error: unknown) => error);
    expect(problem).to.be.an('error').with.property('message', 'container: 503');
    expect(removed).to.deep.equal(['shadow-a']);
  });
});

describe('a run of Shadow', function () {
  this.timeout(60_000);
  const root = useTempFolder('shadow');
  const view = { label: '', transport: 'answered' as const, ms: 1 };
  const answer = { ...view, headers: [], body_sha256: '', body: '' };
  const found: StepResult = {
    ...{ step: 0, a: { ...answer, status: 200 }, b: { ...answer, status: 404 } },
    difference: { verdict: 'breaking', rule: 'status', detail: '200 and 404' },
    others: [],
  };

  /** A run whose duels a test stands for. */
  function runOf(
    run: (one: ShadowCase, signal: AbortSignal) => Promise<unknown>,
    cases = 6,
    folder = root(),
  ): ShadowRun {
    const duel = { a: { dialect: 'swift' }, run } as unknown as Duel;
    const params = { mode: 'dual', seed: 1, operators: OPERATORS, a: 'a', b: 'b' } as const;
    return new ShadowRun('id', { ...params, cases }, duel, new ShadowFiles(folder), Date.now);
  }

  /** A run over sides of which `fails` says, by the number of the duel, whether they are away. */
  async function run(
    fails: (duel: number) => boolean,
    ending = new AbortController(),
    folder = root(),
  ): Promise<ShadowRun> {
    let duels = 0;
    const duel = () =>
      fails((duels += 1)) ? Promise.reject(new Error('container: 503')) : Promise.resolve([found]);
    const one = runOf(duel, 6, folder);
    await one.run(ending.signal, () => undefined);
    return one;
  }

  it('goes on when a side takes no container for once, and keeps what it has found', async () => {
    // The first case with what sends it again takes four, the second fails.
    const { view: end } = await run((duel) => duel === 5);
    expect(end).to.deep.include({ cases: 5, skipped: 1, problem: null });
    expect(end.findings.map(({ is_flaky: isFlaky }) => isFlaky)).not.to.include(true);
  });

  it('says of what it could not send again that it does not know whether it is stable', async () => {
    const ending = new AbortController();
    const fails = (duel: number): boolean => {
      if (duel === 2) ending.abort();
      return duel === 2;
    };
    const { view: end } = await run(fails, ending);
    expect(end.findings.map(({ is_flaky: isFlaky }) => isFlaky)).to.deep.equal([null]);
    const [line = ''] = (await readFile(join(root(), 'mutations.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line)).to.have.property('flaky', null);
  });

  it('shows its latest findings while it goes on, and has all of them at its end', async () => {
    let duels = 0;
    const answer = () => {
      const detail = `difference ${(duels += 1)}`;
      return Promise.resolve([{ ...found, difference: { ...found.difference, detail } }]);
    };
    const cases = 22;
    const one = runOf(answer, cases);
    const cut = new AbortController();
    const seen: (readonly [number, number])[] = [];
    await one.run(cut.signal, () => {
      const { findings, unlisted } = one.live;
      seen.push([findings.length, unlisted]);
      if (seen.length === cases) cut.abort();
    });
    expect(seen.at(-1)).to.deep.equal([20, 2]);
    const written = JSON.parse(Buffer.from(await one.json()).toString('utf8')) as unknown;
    expect(written).to.deep.equal(JSON.parse(JSON.stringify(one.view)));
    expect(one.view).to.have.property('unlisted', 0);
  });

  it('ends with what it has found when a side stays away', async () => {
    const { view: end } = await run((duel) => duel > 4);
    expect(end).to.deep.include({ cases: 1, skipped: 5 });
    expect(end.problem).to.include('5 times in a row');
    expect(end.findings).to.have.length(1);
  });

  it('ends at once when it is ended while a side does not answer', async () => {
    const cut = new AbortController();
    let sent = 0;
    const one = runOf(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          sent += 1;
          signal.addEventListener('abort', () => {
            reject(new Error('ended'));
          });
        }),
    );
    const running = one.run(cut.signal, () => undefined);
    await until(() => sent === 1);
    cut.abort();
    await running;
    expect([sent, one.view.cases, one.view.skipped]).to.deep.equal([1, 0, 0]);
  });

  it('goes on when its files cannot be written, and says so', async () => {
    const file = join(root(), 'file');
    await writeFile(file, '');
    const { view: end } = await run(() => false, undefined, file);
    expect(end.cases).to.equal(6);
    expect(end.problem).to.match(/Could not write files in shadow_root: E/);
    expect(end.findings).not.to.have.length(0);
  });
});

describe('Shadow over two stores', function () {
  this.timeout(120_000);
  const root = useTempFolderOnce('shadow');
  const peer = useOnce(startPeerShim, 'close');
  const bed = useOnce(() => {
    const keys = {
      shadow_peer_base: peer().origin,
      shadow_peer_auth: `${peer().origin}/auth/v1.0`,
    };
    return startTestBed({ lab_enabled: true, shadow_root: root(), ...keys }, REAL_CLOCK);
  }, 'close');
  const operator = useOnce(() => bed().login());

  before(async () => {
    await mkdir(join(root(), 'corpus'));
    const step = { method: 'DELETE', target: '/v1/${A}/other', headers: [] };
    const hostile = [
      '{"steps": "hostile"}',
      JSON.stringify({ id: 'x', dialect: 'swift', steps: [step] }),
      JSON.stringify({ id: 'x', dialect: 'swift', steps: Array.from({ length: 13 }, () => step) }),
      '['.repeat(200_000),
      'x'.repeat(300 * 1024),
      '',
    ];
    for (const [at, text] of hostile.entries()) {
      await writeFile(join(root(), 'corpus', `${String(at).repeat(64)}.json`), text);
    }
    await mkdir(join(root(), 'corpus', `${'f'.repeat(64)}.json`));
    expect(await new ShadowFiles(root()).corpus('swift')).to.deep.equal([]);
    peer().target = bed().store.origin;
  });

  async function run(given: object): Promise<ShadowWholeRun> {
    const id = await operator().start('/lab/api/shadow/runs', given);
    return eventually(
      () => operator().read<ShadowWholeRun>(`/lab/api/shadow/runs/${id}`),
      ({ state }) => ['done', 'failed', 'cancelled'].includes(state),
      100_000,
    );
  }

  it('finds nothing where both are the same, and leaves no container behind', async () => {
    const operators = ['header', 'path', 'query', 'method', 'step'];
    const { state, error, result } = await run({ mode: 'dual', seed: 3, cases: 14, operators });
    expect(state, JSON.stringify(error)).to.equal('done');
    const found = result?.findings.map(({ difference, case: one }) => ({
      difference,
      steps: one.steps,
    }));
    // Both fail alike where a server fails: that is a finding, and none of the comparison.
    expect(found?.filter(({ difference }) => difference.rule !== 'server_error')).to.deep.equal([]);
    expect(result?.cases).to.equal(14);
    const containers = await operator().get('/api/files/containers?prefix=shadow-');
    expect(containers.text).not.to.match(/shadow-[0-9a-f]{12}/);
    const log = (await readFile(join(root(), 'mutations.jsonl'), 'utf8')).trim().split('\n');
    expect(log.length).to.equal(result?.steps);
    expect(JSON.parse(log[0] ?? '')).to.include({ v: 1, seed: 3, step: 0, verdict: 'identical' });
    expect(log.join('')).not.to.match(/AUTH_tk|testing/);
  });

  it('finds a status that one side changes, makes it small, keeps it, and sends it again', async () => {
    peer().passes = 0;
    const refused = await run({ mode: 'dual', seed: 1, cases: 1 });
    expect([refused.state, refused.error?.code]).to.deep.equal(['failed', 'upstream_unavailable']);
    // Control requests have one HEAD.
    peer().passes = 1;
    const done = await run({ mode: 'dual', seed: 1, cases: 1 });
    expect(done.state).to.equal('done');
    const finding = done.result?.findings.find(
      ({ difference }) => difference.detail === '200 and 203',
    );
    expect(finding?.difference).to.include({ verdict: 'semantic', rule: 'status' });
    expect([finding?.is_flaky, finding?.a.status, finding?.b?.status]).to.deep.equal([
      false,
      200,
      203,
    ]);
    const steps = finding?.minimal?.steps.map(({ method }) => method);
    // An object that is not there has no 200 to change.
    expect(steps).to.deep.equal(['PUT', 'HEAD']);
    const kept = await readdir(join(root(), 'corpus'));
    expect(kept.some((name) => name.endsWith('.min.json'))).to.equal(true);
    const again = await operator().post('/lab/api/shadow/replay', {
      mode: 'dual',
      case: finding?.minimal,
    });
    expect(again.text).to.include('200 and 203');
  });

  it('makes a case as small as the one step whose status is changed', async () => {
    const former = peer().flips;
    peer().flips = { method: 'PUT', from: '201 Created', to: '202 Accepted' };
    try {
      // Control requests have one PUT.
      peer().passes = 1;
      const { result } = await run({ mode: 'dual', seed: 1, cases: 1 });
      const found = result?.findings.map(({ difference, minimal }) => ({
        detail: difference.detail,
        steps: minimal?.steps,
      }));
      const step = { method: 'PUT', target: '/v1/${A}/${C}/o', headers: [], body_b64: '' };
      expect(found).to.deep.equal([{ detail: '201 and 202', steps: [step] }]);
    } finally {
      peer().flips = former;
      peer().passes = Infinity;
    }
  });

  it('refuses what it has no second side for, and cases that would leave their container', async () => {
    const s3 = await operator().post('/lab/api/shadow/runs', { mode: 's3' });
    await expectRefused(s3, 501, 'unsupported_here');
    expect(s3.text).to.include('s3_base');
    const hostile = {
      id: 'x',
      dialect: 'swift',
      steps: [{ method: 'DELETE', target: '/v1/${A}/other', headers: [] }],
    };
    const replay = await operator().post('/lab/api/shadow/replay', {
      mode: 'single',
      case: hostile,
    });
    expect(codeOf(replay)).to.equal('unprocessable');
  });

  const bad: readonly (readonly [string, string, object | undefined, string])[] = [
    ['POST', 'shadow/runs', { mode: 'both' }, 'invalid_argument'],
    ['POST', 'shadow/runs', { cases: 5001 }, 'invalid_argument'],
    ['POST', 'shadow/runs', { seed: -1 }, 'invalid_argument'],
    ['POST', 'shadow/runs', { operators: [] }, 'invalid_argument'],
    ['POST', 'shadow/runs', { token: 'x' }, 'invalid_argument'],
    ['POST', 'shadow/replay', { mode: 'dual', case: null }, 'unprocessable'],
    ['GET', 'shadow/runs/none', undefined, 'not_found'],
    ['DELETE', 'shadow/runs/none', undefined, 'not_found'],
    ['POST', 'expired/runs', { count: 51 }, 'invalid_argument'],
    ['POST', 'expired/runs', { first_s: 1 }, 'invalid_argument'],
    ['POST', 'expired/runs', { container: 'photos' }, 'invalid_argument'],
    ['POST', 'expired/runs/none/rescue', { name: '../x' }, 'invalid_argument'],
    ['POST', 'expired/runs/none/rescue', { name: '00' }, 'not_found'],
    ['GET', 'profilemap/snapshot?path=delete', undefined, 'invalid_argument'],
    ['GET', 'profilemap/snapshot?from=..', undefined, 'invalid_argument'],
    ['POST', 'profilemap/pulse', { n: 201 }, 'invalid_argument'],
    ['POST', 'profilemap/pulse', { bytes: 9 * 1024 * 1024 }, 'invalid_argument'],
  ];
  it('refuses what is out of range, with a sentence, and writes nothing', async () => {
    for (const [method, path, body, code] of bad) {
      const answer = await operator().send(method, `/lab/api/${path}`, body === undefined ? {} : { body }); // prettier-ignore
      expect(codeOf(answer), `${method} ${path} ${JSON.stringify(body)}`).to.equal(code);
      const { error }: { error: { message: string } } = answer.json();
      expect(error.message).to.match(/\.$/);
    }
    const left = await operator().get('/api/files/containers?prefix=');
    expect(left.text).not.to.match(/shadow-|lab-/);
  });

  it('runs one at a time', async () => {
    const id = await operator().start('/lab/api/shadow/runs', { mode: 'single', cases: 100 });
    const second = await operator().post('/lab/api/shadow/runs', { mode: 'single', cases: 1 });
    expect(codeOf(second)).to.equal('locked');
    const path = `/lab/api/shadow/runs/${id}`;
    expect((await operator().send('DELETE', path)).status).to.equal(204);
    await eventually(
      () => operator().read<ShadowWholeRun>(path),
      ({ state }) => state === 'cancelled',
    );
  });

  it('judges one side alone', async () => {
    const { state, result } = await run({
      mode: 'single',
      seed: 5,
      cases: 10,
      operators: ['path'],
    });
    expect([state, result?.cases]).to.deep.equal(['done', 10]);
  });
});
