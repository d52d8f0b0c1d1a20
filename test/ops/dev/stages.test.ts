import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadTool } from './tools.js';

const FILES = [
  'dist/test/http/server.test.js',
  'dist/test/contract/embedded.test.js',
  'dist/test/clients/rclone.test.js',
  'dist/test/something-new/x.test.js',
  'dist/test/uri.test.js',
  'dist/test/something-new/x-oracle.test.js',
  'dist/test/lib/result-output.test.js',
];

function sources(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);
}

function compiled(source: string): string {
  return `dist/${source.replace(/ts$/, 'js')}`;
}

describe('npm test: stages', () => {
  it('gives every file to one stage, unknown folders to the first', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const plan = planStages([], FILES).map(({ name, files }) => ({ name, files }));
    expect(plan).to.deep.equal([
      { name: 'unit', files: [FILES[3], FILES[4]] },
      { name: 'components', files: [FILES[0], FILES[5], FILES[6]] },
      { name: 'contract', files: [FILES[1]] },
      { name: 'clients', files: [FILES[2]] },
    ]);
  });

  it('keeps suites that open a store or start a process out of the first, which is to be quick', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const slow = sources().filter((source) =>
      /\b(?:openEmbeddedStore|startService|spawn|spawnSync|fork)\(/.test(
        readFileSync(source, 'utf8'),
      ),
    );
    const files = slow.map(compiled);
    const [first] = planStages([], [...files, ...FILES]);
    expect(first).to.include({ name: 'unit' });
    expect(first?.files.filter((file) => files.includes(file))).to.deep.equal([]);
    expect(slow).to.include('test/s3/bucket/create-bucket.test.ts');
  });

  it('runs suites of the S3 API again on other stores, a real cluster where there is one', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const names = (name: string, hasSwift: boolean) =>
      planStages([], [`dist/test/integration/${name}.test.js`], hasSwift).map((s) => s.name);
    const without = ['integration', 'swift-api', 'faulty-store'];
    expect(names('copy', false)).to.deep.equal(without);
    expect(names('copy', true)).to.deep.equal(without.toSpliced(1, 0, 'swift'));
    expect(names('objects', true)).to.deep.equal(without.toSpliced(1, 0, 'swift-direct'));
    const [, swift] = planStages([], ['dist/test/integration/copy.test.js'], true);
    expect(swift?.env).to.deep.equal({ RINGWAY_TEST_STACK: 'swift' });
    const console = 'dist/test/console/files/files.test.js';
    const stages = planStages([], [console], true).map(({ name }) => name);
    expect(stages).to.deep.equal(['components', 'swift']);
  });

  it('runs two beside each other, the longest first, patient ones behind them, and knows how long that takes', async () => {
    const { runBeside, secondsBeside } = await loadTool('lib/stages.mjs');
    const stages = [
      { name: 'unit', seconds: 1 },
      { name: 'components', seconds: 6 },
      { name: 'swift', seconds: 8 },
      { name: 'clients', seconds: 3 },
      ...['a', 'b', 'c'].map((name) => ({ name, seconds: 1, isPatient: true })),
    ];
    const secondsOf = (stage: { seconds: number }) => stage.seconds;
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const all = runBeside(stages, secondsOf, ({ name }, { isBesideOthers, isInBackground }) => {
      expect(isBesideOthers).to.equal(true);
      begun.push(isInBackground ? `(${name})` : name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
    for (const name of ['components', 'a', 'clients', 'unit', 'swift', 'b', 'c']) {
      ends.get(name)?.();
      await Promise.resolve();
      await Promise.resolve();
    }
    await all;
    expect(begun.join(' ')).to.equal('swift components (a) clients (b) unit c');
    expect(secondsBeside(stages, secondsOf)).to.equal(9);
    const longer = [...stages, { name: 'd', seconds: 8, isPatient: true }];
    expect(secondsBeside(longer, secondsOf)).to.equal(11);
    expect(secondsBeside([], secondsOf)).to.equal(0);
  });

  it('says what they will take beside each other', async () => {
    const { estimate } = await loadTool('lib/stage-times.mjs');
    const stages = ['unit', 'integration', 'swift', 'browser'].map((name) => ({ name }));
    const seconds = {
      ...{ 'quick unit': 50, 'quick integration': 100, 'quick swift': 30 },
      ...{ 'rest integration': 400, 'rest swift': 130 },
    };
    const unit = [{ name: 'unit' }];
    expect(estimate([{ size: 'quick', stages }], seconds)).to.equal(
      'This runs about 2 min (unit 50 s, integration 2 min, swift 30 s, some of it side by side); not measured yet: browser.',
    );
    expect(estimate([{ size: 'all', stages: [{ name: 'swift' }] }], seconds)).to.equal(
      'This runs about 3 min (swift 3 min).',
    );
    const rest = [{ name: 'integration' }, { name: 'swift' }];
    const parts = [
      { size: 'quick', stages: unit },
      { size: 'rest', stages: rest },
    ] as const;
    expect(estimate(parts, seconds)).to.equal(
      'This runs about 8 min (unit 50 s, rest of integration 7 min, rest of swift 2 min, some of it side by side).',
    );
    expect(estimate([{ size: 'quick', stages: unit }], {})).to.equal(
      'This runs for an unknown time; not measured yet: unit.',
    );
  });

  it('runs every file once: in `npm test`, or in what `npm run test:all` runs after it', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const placed = (size: 'quick' | 'rest' | 'all') =>
      planStages([], sources().map(compiled), true, size).flatMap(({ name, files }) =>
        files.map((file) => `${name} ${file}`),
      );
    const [quick, rest] = [placed('quick'), placed('rest')];
    expect([...quick, ...rest].sort()).to.deep.equal(placed('all').sort());
    expect(quick).to.include('unit dist/test/s3/rules/conditions.test.js');
    expect(rest).to.include('swift dist/test/integration/copy.test.js');
  });

  it('names only suites for `npm test` that are there', async () => {
    const { missingFrom } = await loadTool('lib/quick.mjs');
    expect(missingFrom(sources())).to.deep.equal([]);
    expect(missingFrom(['test/http/edge.test.ts'])).to.not.deep.equal([]);
  });

  it('has a budget for every part of a stage, within the limit of the run', async () => {
    const { planStages, secondsBeside } = await loadTool('lib/stages.mjs');
    const { budgets, LIMITS_S, overBudget } = await loadTool('lib/stage-times.mjs');
    const all = budgets();
    const secondsOf = (size: 'quick' | 'rest'): number => {
      const stages = planStages([], sources().map(compiled), true, size);
      for (const { name } of stages) expect(all, name).to.have.property(`${size} ${name}`);
      return secondsBeside(stages, ({ name }) => all[`${size} ${name}`] ?? 0);
    };
    expect(secondsOf('quick')).to.be.at.most(LIMITS_S.quick);
    expect(secondsOf('quick') + secondsOf('rest')).to.be.at.most(LIMITS_S.all);
    const took = (seconds: number) =>
      overBudget('rest', [{ name: 'a', seconds }], { 'rest a': 10 });
    expect(took(10)).to.deep.equal([]);
    expect(took(10.6)).to.deep.equal([
      'rest of a took 11 s, and 10 are its budget (ops/dev/stage-budgets.json)',
    ]);
  });

  it('takes prefixes of source paths', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const files = (...filters: string[]) => planStages(filters, FILES).flatMap((s) => s.files);
    expect(files('test/http')).to.deep.equal([FILES[0]]);
    expect(files('./test/clients/rclone.test.ts', 'test/uri')).to.deep.equal([FILES[4], FILES[2]]);
    expect(files('test/absent')).to.deep.equal([]);
  });
});
