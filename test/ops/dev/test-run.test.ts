import { expect } from 'chai';
import { loadTool, type StageResult } from './tools.js';

const FILES = [
  'dist/test/http/server.test.js',
  'dist/test/contract/embedded.test.js',
  'dist/test/clients/rclone.test.js',
  'dist/test/something-new/x.test.js',
  'dist/test/uri.test.js',
];

describe('npm test: stages', () => {
  it('gives every file to one stage, unknown folders to the first', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const plan = planStages([], FILES).map(({ name, files }) => ({ name, files }));
    expect(plan).to.deep.equal([
      { name: 'unit', files: [FILES[0], FILES[3], FILES[4]] },
      { name: 'contract', files: [FILES[1]] },
      { name: 'clients', files: [FILES[2]] },
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

describe('npm test: summary', () => {
  const stage = (name: string, more: Partial<StageResult>): StageResult => ({
    name,
    passed: 0,
    failed: 0,
    skipped: [],
    seconds: 1,
    ...more,
  });

  it('ends with the totals, after one line for each thing that is missing', async () => {
    const { summarise } = await loadTool('lib/summary.mjs');
    const title = (test: string) => `client: s3cmd [SKIPPED: s3cmd not installed] ${test}`;
    const file = 'test/clients/s3cmd.test.ts';
    const lines = summarise([
      stage('unit', {
        passed: 40,
        skipped: [{ title: 'some pending test', file: 'test/a.test.ts' }],
      }),
      stage('clients', {
        passed: 2,
        failed: 1,
        skipped: [
          { title: title('puts'), file },
          { title: title('gets'), file },
        ],
      }),
    ]);
    expect(lines).to.deep.equal([
      ' ok  unit     40 passed, 0 failed, 1 skipped  (1 s)',
      'FAIL clients  2 passed, 1 failed, 2 skipped  (1 s)',
      '',
      'SKIPPED: "some pending test" is pending → test/a.test.ts',
      'SKIPPED: s3cmd not installed → test/clients/s3cmd.test.ts',
      '',
      '42 passed, 1 failed, 3 skipped',
    ]);
  });
});
