import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import { Supervised, type Ended } from './support/supervised.js';

const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

/** The real program; these commands start nothing. */
describe('supervisor: commands', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await makeTempFolder('commands');
  });

  afterEach(() => removeFolder(folder));

  function ringway(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Supervised(args, env, folder, MAIN).ended;
  }

  it('check says that all is well, and touches nothing', async () => {
    const result = await ringway(['check']);
    expect(result).to.include({ code: 0, stdout: 'the configuration can be used\n', stderr: '' });
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('check --print shows the effective configuration as JSON', async () => {
    await writeFile(join(folder, 'c.json'), '{"region":"eu-west-1"}');
    const args = ['check', '--print', '--config', 'c.json', '--listeners', '3'];
    const result = await ringway(args, {
      RINGWAY_ACCESS_KEY: 'OPERATOR',
      RINGWAY_SECRET_KEY: 'hush-hush-hush',
    });
    expect(result.code).to.equal(0);
    expect(JSON.parse(result.stdout)).to.include({ region: 'eu-west-1', listeners: 3 });
    expect(result.stdout).not.to.include('hush');
  });

  it('check finds what start would refuse: configuration and credentials', async () => {
    await writeFile(join(folder, 'c.json'), '{"listener":2,"drain_delay_ms":-1}');
    const config = await ringway(['check', '--config', 'c.json']);
    expect(config).to.include({ code: 78, stdout: '' });
    expect(config.stderr.split('\n')).to.deep.equal([
      'ringway: the configuration cannot be used:',
      '  listener: got 2, expected a key that exists; did you mean listeners?',
      '  drain_delay_ms: got -1, expected an integer from 0 to 600000',
      '',
    ]);
    const credentials = await ringway(['check'], { RINGWAY_ACCESS_KEY: 'OPERATOR' });
    expect(credentials.code).to.equal(78);
    expect(credentials.stderr).to.include('RINGWAY_SECRET_KEY: expected a value');
  });

  it('start and check say in one line that the working directory is gone', async () => {
    // The shell enters the folder, removes it and becomes the program.
    const lost = 'rmdir "$PWD" && exec "$0" "$@"';
    for (const command of ['start', 'check']) {
      const cwd = await mkdtemp(join(folder, 'lost-'));
      const args = ['-c', lost, process.execPath, MAIN, command];
      const { status, stdout, stderr } = spawnSync('sh', args, { cwd, encoding: 'utf8' });
      expect(stderr).to.match(/^ringway: the working directory cannot be found \(.+\n$/);
      expect({ status, stdout }, command).to.deep.equal({ status: 73, stdout: '' });
    }
  });

  it('ends with 64 for commands, flags and values of flags that it does not know', async () => {
    for (const args of [['strat'], ['check', '--colour'], ['check', '--listeners', '0']]) {
      const result = await ringway(args);
      expect(result, args.join(' ')).to.include({ code: 64, stdout: '' });
      expect(result.stderr).to.match(/^ringway: /);
    }
  });

  it('version says which release, revision and Node.js', async () => {
    const result = await ringway(['version']);
    expect(result.code).to.equal(0);
    expect(result.stdout).to.match(
      /^ringway \d+\.\d+\.\d+ \(revision \w+, Node\.js \d+\.\d+\.\d+\)\n$/,
    );
  });

  it('help names every command, flag and exit code', async () => {
    const { code, stdout } = await ringway(['help']);
    expect(code).to.equal(0);
    for (const word of [
      'start',
      'check',
      'janitor',
      'version',
      '--config',
      '--data',
      '--print',
      '--once',
    ]) {
      expect(stdout).to.include(word);
    }
    for (const exit of Object.values(EXIT_CODES)) {
      expect(stdout).to.include(`  ${exit.code}\t${exit.meaning}\n`);
    }
  });
});
