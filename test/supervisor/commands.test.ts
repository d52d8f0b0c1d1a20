import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { freePort } from '../support/free-port.js';
import { useTempFolder } from '../support/temp-folder.js';
import { MAIN, Supervised, type Ended } from './support/supervised.js';

const SWIFT = { backend: 'swift', swift_endpoints: ['http://127.0.0.1:1'] };

/** The real program; these commands start nothing. */
describe('supervisor: commands', () => {
  const folder = useTempFolder('commands');

  function ringway(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Supervised(args, { env, cwd: folder(), main: MAIN }).ended;
  }

  function configure(config: object): Promise<void> {
    return writeFile(join(folder(), 'c.json'), JSON.stringify(config));
  }

  it('check says that all is well, and touches nothing', async () => {
    const result = await ringway(['check']);
    expect(result).to.include({ code: 0, stdout: 'the configuration can be used\n', stderr: '' });
    expect(await readdir(folder())).to.deep.equal([]);
  });

  it('check --print shows the effective configuration as JSON', async () => {
    await writeFile(join(folder(), 'c.json'), '{"region":"eu-west-1"}');
    const args = ['check', '--print', '--config', 'c.json', '--listeners', '3'];
    const env = { RINGWAY_ACCESS_KEY: 'OPERATOR', RINGWAY_SECRET_KEY: 'hush-hush-hush' };
    const result = await ringway(args, env);
    expect(result.code).to.equal(0);
    expect(JSON.parse(result.stdout)).to.include({ region: 'eu-west-1', listeners: 3 });
    expect(result.stdout).not.to.include('hush');
  });

  it('check finds what start would refuse: configuration and credentials', async () => {
    await writeFile(join(folder(), 'c.json'), '{"listener":2,"drain_delay_ms":-1}');
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

  it('check finds all that is wrong with the files that the configuration names', async () => {
    await writeFile(join(folder(), 'open'), 'secret-of-swift', { mode: 0o644 });
    await writeFile(join(folder(), 'empty'), '', { mode: 0o600 });
    const config = {
      ...SWIFT,
      swift_user: 'gateway:gw',
      swift_key_file: 'open',
      swift_filter_secret_file: 'gone',
      admin_token_file: 'empty',
      tls_cert_file: 'gone',
      tls_key_file: 'gone',
      credentials_source: 'tempauth',
      tempauth_conf: 'gone',
      console_config: 'gone',
    };
    await configure(config);
    for (const command of ['check', 'start']) {
      const { code, stdout, stderr } = await ringway([command, '--config', 'c.json']);
      expect({ code, stdout }, command).to.deep.equal({ code: 78, stdout: '' });
      const [first, ...lines] = stderr.trimEnd().split('\n');
      expect(first).to.equal('ringway: the configuration cannot be used:');
      expect(lines.map((line) => /^ {2}(\w+)/.exec(line)?.[1])).to.have.members([
        'tempauth_conf',
        'tls_cert_file',
        'tls_key_file',
        'console_config',
        'admin_token_file',
        'swift_key_file',
        'swift_filter_secret_file',
      ]);
      expect(stderr).to.include('got mode 0644, expected mode 0600').and.not.include('of-swift');
    }
  });

  it('check and start name the rings and the swift.conf that cannot be used', async () => {
    const config = {
      ...SWIFT,
      swift_filter_secret_file: 'secret',
      swift_rings_dir: 'swift',
    };
    await mkdir(join(folder(), 'swift'));
    await writeFile(join(folder(), 'secret'), 'secret-of-filter', { mode: 0o600 });
    await configure(config);
    const problems = async (command: string): Promise<string[]> => {
      const { code, stderr } = await ringway([command, '--config', 'c.json']);
      expect(code).to.equal(78);
      return stderr.trimEnd().split('\n').slice(1);
    };
    expect((await problems('check')).join()).to.include('/swift/swift.conf: expected a readable');
    const conf = '[swift-hash]\nswift_hash_path_suffix = hush-hush\n';
    await writeFile(join(folder(), 'swift/swift.conf'), conf);
    await writeFile(join(folder(), 'swift/object.ring.gz'), '\x80\x02}');
    for (const command of ['check', 'start']) {
      const lines = await problems(command);
      expect(lines, command).to.have.lengthOf(3);
      expect(lines.join()).to.include('/swift/object.ring.gz: expected a ring file of Swift');
      expect(lines.join()).not.to.include('hush');
    }
  });

  it('check wants the secret of the filter for direct reads', async () => {
    await configure({ ...SWIFT, swift_rings_dir: 'swift' });
    const { code, stderr } = await ringway(['check', '--config', 'c.json']);
    expect(code).to.equal(78);
    expect(stderr).to.include('since swift_rings_dir is given');
  });

  it('check does not judge the console by credentials that cannot be read', async () => {
    const config = {
      ...SWIFT,
      credentials_source: 'tempauth',
      tempauth_conf: 'gone',
      console_config: 'console.json',
    };
    await configure(config);
    await writeFile(join(folder(), 'console.json'), '{}');
    const { code, stderr } = await ringway(['check', '--config', 'c.json']);
    expect(code).to.equal(78);
    expect(stderr.split('\n').slice(1)).to.have.lengthOf(2);
    expect(stderr).to.match(/^ {2}tempauth_conf /m);
    await writeFile(join(folder(), 'console.json'), '{"bind":7}');
    const both = await ringway(['check', '--config', 'c.json']);
    expect(both.stderr)
      .to.match(/^ {2}tempauth_conf /m)
      .and.match(/^ {2}console_config .*bind/m);
    expect(both.stderr).not.to.include('accounts');
  });

  it('check reads the secret of the Swift API where there is one to be served', async () => {
    await writeFile(join(folder(), 'c.json'), '{"store_filter_secret_file":"gone"}');
    const served = await ringway(['check', '--config', 'c.json']);
    expect(served.code).to.equal(78);
    expect(served.stderr).to.match(
      /^ {2}store_filter_secret_file \(.+gone\): expected a readable/m,
    );
    expect((await ringway(['check', '--config', 'c.json', '--store', ''])).code).to.equal(0);
  });

  it('start ends with what another start may change when no proxy of Swift answers', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const config = { backend: 'swift', swift_endpoints: [nobody] };
    await configure(config);
    const free = ['--s3', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--console', ''];
    const ended = await ringway(['start', '--config', 'c.json', '--listeners', '1', ...free]);
    expect(ended.stderr).to.match(/^ringway: Swift did not answer: http:/m);
    expect(ended.code).to.equal(72);
    const janitor = await ringway(['janitor', '--dry-run', '--config', 'c.json']);
    expect(janitor.code).to.equal(72);
  });

  it('start and check say in one line that the working directory is gone', async () => {
    // The shell enters the folder, removes it and becomes the program.
    const lost = 'rmdir "$PWD" && exec "$0" "$@"';
    for (const command of ['start', 'check']) {
      const cwd = await mkdtemp(join(folder(), 'lost-'));
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
    const commands = ['start', 'check', 'janitor', 'repair', 'version'];
    for (const word of [...commands, '--config', '--data', '--print', '--once']) {
      expect(stdout).to.include(word);
    }
    for (const exit of Object.values(EXIT_CODES)) {
      expect(stdout).to.include(`  ${exit.code}\t${exit.meaning}\n`);
    }
  });
});
