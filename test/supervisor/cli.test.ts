import { expect } from 'chai';
import { parseCommandLine, UsageError } from '../../supervisor/cli.js';

function problemsOf(line: string): readonly string[] {
  try {
    parseCommandLine(line.split(' ').filter((word) => word !== ''));
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  throw new Error('accepted');
}

const COMMANDS =
  'start, check, reload, drain, wait-ready, janitor, repair, store, capsule, deploy, version, help';

describe('supervisor: command line', () => {
  it('reads every flag', () => {
    const files = ['start', '--config', 'c.json', '--data', 'd'];
    const ports = ['--s3', 'h:1', '--admin', 'h:2', '--console', 'h:3', '--store', 'h:5'];
    expect(parseCommandLine([...files, ...ports, '--listeners', '4'])).to.deep.equal({
      name: 'start',
      configFile: 'c.json',
      flags: {
        data_dir: 'd',
        s3_listen: 'h:1',
        admin_listen: 'h:2',
        console_listen: 'h:3',
        store_listen: 'h:5',
        listeners: 4,
      },
    });
    expect(parseCommandLine(['start', '--data=-x'])).to.deep.include({ flags: { data_dir: '-x' } });
  });

  it('reads check, janitor, version and help', () => {
    const check = { name: 'check', configFile: undefined, flags: {}, cluster: false };
    expect(parseCommandLine(['check'])).to.deep.equal({ ...check, print: false });
    expect(parseCommandLine(['check', '--print'])).to.deep.equal({ ...check, print: true });
    expect(parseCommandLine(['check', '--cluster'])).to.include({ print: false, cluster: true });
    const janitor = { name: 'janitor', configFile: undefined, flags: {} };
    const repair = { name: 'repair', configFile: undefined, flags: {}, bucket: 'b' };
    const bucket = { ...repair, key: undefined, account: undefined, isDry: false };
    expect(parseCommandLine(['repair', '--bucket', 'b'])).to.deep.equal(bucket);
    const all = ['repair', '--bucket', 'b', '--key', 'k', '--account', 'a', '--dry-run'];
    const key = { ...repair, key: 'k', account: 'a', isDry: true };
    expect(parseCommandLine(all)).to.deep.equal(key);
    expect(parseCommandLine(['janitor', '--once'])).to.deep.equal({ ...janitor, mode: 'once' });
    expect(parseCommandLine(['start', 'janitor', '--dry-run'])).to.deep.equal({
      ...janitor,
      mode: 'dry-run',
    });
    expect(parseCommandLine(['capsule', 'verify', 'a.capsule'])).to.deep.equal({
      name: 'capsule',
      file: 'a.capsule',
      trustedKeys: undefined,
    });
    const trusting = ['capsule', 'verify', 'a', '--trusted-keys', 'keys'];
    expect(parseCommandLine(trusting)).to.include({ trustedKeys: 'keys' });
    expect(problemsOf('capsule verify')).to.deep.equal([
      'got capsule verify, expected capsule verify FILE',
    ]);
    expect(problemsOf('capsule check a')).to.deep.equal([
      'got capsule check a, expected capsule verify FILE',
    ]);
    const store = { configFile: undefined, flags: {}, name: 'store' };
    const stored = parseCommandLine(['store', 'export', '-']);
    expect(stored).to.deep.equal({ ...store, action: 'export', file: '-' });
    const checked = parseCommandLine(['store', 'check']);
    expect(checked).to.deep.equal({ ...store, action: 'check', file: undefined });
    for (const wrong of ['store', 'store import', 'store check file', 'store mend']) {
      expect(problemsOf(wrong)).to.deep.equal([
        `got ${wrong}, expected store with one of check, export FILE, import FILE, compact`,
      ]);
    }
    expect(parseCommandLine(['version'])).to.deep.equal({ name: 'version' });
    expect(parseCommandLine(['help'])).to.deep.equal({ name: 'help' });
    expect(parseCommandLine(['start', '--help'])).to.deep.equal({ name: 'help' });
  });

  it('lets a command behind `npm start --` win', () => {
    expect(parseCommandLine(['start', 'check', '--print'])).to.include({ name: 'check' });
    expect(parseCommandLine(['start', 'start'])).to.include({ name: 'start' });
  });

  it('shows its help without a command, too', () => {
    expect(parseCommandLine(['--help'])).to.deep.equal({ name: 'help' });
    expect(problemsOf('--hlep')[0]).to.include('did you mean --help?');
  });

  it('leaves a number that is none to the configuration, which says what it expects', () => {
    const command = parseCommandLine(['start', '--listeners', 'many']);
    expect(command).to.deep.include({ flags: { listeners: 'many' } });
  });

  const bad: readonly (readonly [line: string, problems: readonly string[]])[] = [
    ['', [`got no command, expected one of ${COMMANDS}`]],
    ['strat', [`got command strat, expected one of ${COMMANDS}; did you mean start?`]],
    ['start now', [`got command now, expected one of ${COMMANDS}`]],
    ['check a b', ['got a, expected nothing behind check', 'got b, expected nothing behind check']],
    ['start --listener 2', ['got --listener, expected a known flag; did you mean --listeners?']],
    ['start --datas=x', ['got --datas x, expected a known flag; did you mean --data?']],
    ['start -d', ['got -d, expected a known flag']],
    ['start --data', ['--data: got nothing, expected a value']],
    ['start --data --s3 h:1', ['--data: got --s3, expected a value']],
    ['start --data a --data b', ['got --data twice, expected it once']],
    ['check --print=yes', ['--print: got "yes", expected no value']],
    ['start --print', ['got --print, which start does not know']],
    ['janitor', ['got neither of --dry-run and --once, expected one']],
    ['repair', ['got no --bucket, expected the name of one']],
    ['repair --bucket b --once', ['got --once, which repair does not know']],
    ['janitor --once --dry-run', ['got both of --dry-run and --once, expected one']],
    ['check --once', ['got --once, which check does not know']],
    ['version --data x', ['got --data, which version does not know']],
  ];
  for (const [line, problems] of bad) {
    it(`refuses \`${line}\``, () => {
      expect(problemsOf(line)).to.deep.equal(problems);
    });
  }
});
