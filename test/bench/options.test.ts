import { expect } from 'chai';
import { UsageError, type Options } from '../../bench/options/options.js';
import { renderHelp } from '../../bench/options/help.js';
import { FLAGS } from '../../bench/options/flags.js';
import { parseOptions } from '../../bench/options/parse.js';
import { ROWS } from '../../bench/rows/table.js';

function parsed(args: readonly string[], env: NodeJS.ProcessEnv = {}): Options {
  const options = parseOptions(args, env);
  if (options === 'help') throw new Error('help was not asked for');
  return options;
}

function problemsOf(args: readonly string[]): readonly string[] {
  try {
    parseOptions(args, {});
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  throw new Error('nothing was wrong');
}

const SWIFT = ['--swift-auth', 'http://h/auth/v1.0', '--swift-user', 'a:u', '--swift-key', 'k'];

/** The command line, and what it is refused with. */
const REFUSED: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
  [['--rowz', 'put-1k'], /^got --rowz, expected a known flag; did you mean --rows\?$/],
  [['get-1k'], /^got get-1k, expected a flag$/],
  [['--slices'], /^--slices: got nothing, expected an integer from 1 to 100$/],
  [['--slices', '0'], /^--slices: got 0, expected an integer/],
  [['--slices', '2.5'], /^--slices: got 2\.5/],
  [['--seconds', '0.05'], /^--seconds: got 0\.05, expected a number from 0\.1 to 600$/],
  [['--warm-up', '3601'], /^--warm-up: got 3601, expected a number from 0 to 3600$/],
  [['--json', '--quick'], /^--json: got --quick, expected a path$/],
  [['--quick=yes'], /^--quick: got yes, expected no value$/],
  [['--rows', 'get-1'], /^--rows: got get-1, .*; did you mean get-1k\?$/],
  [['--rows', 'get-1k:0'], /^--rows: got get-1k:0, expected concurrencies such as/],
  [['--rows', 'get-1k:a'], /^--rows: got get-1k:a/],
  [['--peer', 'ngnix'], /^--peer: got ngnix, .*; did you mean nginx\?$/],
  [['--peer', 'ringway'], /^--peer: got ringway, expected .*ringway:DIST/],
  [['--peer', 'nginx:x'], /^--peer: got nginx:x/],
  [['--target', 'example.org'], /^--target: got example\.org, expected http:/],
  [['--target', 'http://h'], /^--target: got no keys/],
  [['--target', 'http://h', '--access-key', 'a'], /^--target: got no keys/],
  [['--access-key', 'a'], /^got one of --access-key and --secret-key/],
  [['--pid', '12'], /^--pid: expected a --target/],
  [['--peer', 'swift'], /^--peer swift: expected --swift-auth, or --swift-lab/],
  [['--peer', 's3api', ...SWIFT], /^--peer s3api: expected --s3api-url, or --swift-lab/],
];

describe('bench: options', () => {
  it('runs every row at its own concurrencies when nothing is said', () => {
    const { rows, slices, seconds, listKeys, peers, target } = parsed([]);
    const all = ROWS.flatMap(({ name, concurrency }) => concurrency.map((c) => `${name}:${c}`));
    expect(rows.map(({ row, concurrency }) => `${row}:${concurrency}`)).to.deep.equal(all);
    expect({ slices, seconds, listKeys, peers, target }).to.deep.equal({
      slices: 5,
      seconds: 2,
      listKeys: 100_000,
      peers: [],
      target: undefined,
    });
  });

  it('is shorter with --quick, where nothing else is said', () => {
    expect(parsed(['--quick'])).to.include({ slices: 3, seconds: 0.4, listKeys: 10_000 });
    expect(parsed(['--quick', '--slices', '9'])).to.include({ slices: 9, seconds: 0.4 });
  });

  it('measures with --quick nothing that the long run does not', () => {
    for (const row of ROWS) expect(row.concurrency).to.include.members(row.quickConcurrency);
  });

  it('takes rows with their own concurrency or with given ones, in the order given', () => {
    expect(
      parsed(['--rows', 'delete-1k,get-1k:2+8', '--rows', 'put-versioned-new']).rows,
    ).to.deep.equal([
      { row: 'delete-1k', concurrency: 16 },
      { row: 'delete-1k', concurrency: 64 },
      { row: 'get-1k', concurrency: 2 },
      { row: 'get-1k', concurrency: 8 },
      { row: 'put-versioned-new', concurrency: 16 },
    ]);
  });

  it('takes itself without direct reads as a peer', () => {
    const { peers } = parsed(['--peer', 'ringway-proxy']);
    expect(peers).to.deep.equal([{ kind: 'ringway-proxy' }]);
  });

  it('takes peers, also another build of Ringway, whose path may hold a colon', () => {
    expect(parsed(['--peer', 'nginx,ringway:/a:b/dist']).peers).to.deep.equal([
      { kind: 'nginx' },
      { kind: 'ringway', dist: '/a:b/dist' },
    ]);
  });

  it('lists fewer keys where writing them takes Swift', () => {
    expect(parsed(['--peer', 'swift', ...SWIFT]).listKeys).to.equal(2000);
    expect(parsed(['--peer', 'swift', '--swift-lab', 'x']).listKeys).to.equal(2000);
  });

  it('takes keys of a target from flags or the environment, and for Ringway from flags alone', () => {
    const env = { AWS_ACCESS_KEY_ID: 'envKey', AWS_SECRET_ACCESS_KEY: 'envSecret' };
    const fromEnv = { accessKey: 'envKey', secretKey: 'envSecret' };
    const flags = ['--access-key', 'a', '--secret-key', 's'];
    expect(parsed(['--target', 'http://h:1'], env).keys).to.deep.equal(fromEnv);
    expect(parsed(['--target', 'http://h:1', ...flags], env).keys).to.deep.equal({
      accessKey: 'a',
      secretKey: 's',
    });
    expect(parsed([], env).keys).to.equal(undefined);
  });

  for (const [args, problem] of REFUSED) {
    it(`refuses ${args.join(' ')}`, () => {
      expect(problemsOf(args)[0]).to.match(problem);
    });
  }

  it('says everything that is wrong at once', () => {
    expect(problemsOf(['--slices', 'x', '--seconds', 'y', '--peer', 'z'])).to.have.length(3);
  });

  it('shows help before all else, with every flag and every row', () => {
    expect(parseOptions(['--slices', 'x', '--help'], {})).to.equal('help');
    const help = renderHelp();
    for (const { name } of [...FLAGS]) expect(help).to.contain(`--${name}`);
    for (const { name } of ROWS) expect(help).to.contain(name);
  });
});
