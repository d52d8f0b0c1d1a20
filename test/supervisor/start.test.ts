import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { serve } from '../support/serve.js';
import { useRuns, type Ended, type Supervised } from './support/supervised.js';

const FREE = ['--s3', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--store', '', '--listeners', '1'];

describe('supervisor: start and its refusals', () => {
  const runs = useRuns('start');

  function launch(args: readonly string[], env: NodeJS.ProcessEnv = {}): Supervised {
    return runs().runBare(args, { env });
  }

  async function expectRefusal(ended: Promise<Ended>, code: number, line: RegExp): Promise<void> {
    const result = await ended;
    expect(result.stderr).to.match(line);
    expect(result.code).to.equal(code);
    expect(result.stdout).to.equal('');
  }

  it('refuses a second instance on the same data directory, naming the first', async () => {
    const first = await launch(['start', ...FREE]).ready();
    const second = launch(['start', ...FREE]);
    const line = `^ringway: another ringway \\(pid ${first.pid}\\) is using the data .*data$`;
    await expectRefusal(second.ended, 75, new RegExp(line, 'm'));
    await first.terminate();
    await launch(['start', ...FREE]).ready();
  });

  it('takes over from a supervisor that was killed, when its listeners have gone', async () => {
    const first = await launch(['start', ...FREE]).ready();
    first.kill('SIGKILL');
    await first.ended;
    await launch(['start', ...FREE]).ready();
  });

  for (const [flag, key] of [
    ['--s3', 's3_listen'],
    ['--admin', 'admin_listen'],
  ] as const) {
    it(`says which address is in use: ${key}`, async () => {
      const holder = await serve((_, response) => response.end());
      const taken = `127.0.0.1:${holder.port}`;
      const args = ['start', ...FREE.with(FREE.indexOf(flag) + 1, taken)];
      const line = new RegExp(
        `^ringway: ${key}: cannot listen on ${taken}: .+ \\(process ${process.pid}\\) listens there; ` +
          `${flag} ADDRESS:PORT takes another$`,
        'm',
      );
      await expectRefusal(launch(args).ended, 69, line);
      holder.close();
    });
  }

  it('refuses an address that the machine does not have', async () => {
    const args = ['start', '--s3', '192.0.2.1:8000', '--admin', '127.0.0.1:0', '--store', ''];
    await expectRefusal(
      launch(args).ended,
      69,
      /^ringway: s3_listen: cannot listen on 192.0.2.1:8000: this machine has no such address$/m,
    );
  });

  it('refuses a data directory that cannot be created, or is none', async () => {
    const file = join(runs().folder, 'file');
    await writeFile(file, '');
    const inside = launch(['start', ...FREE, '--data', join(file, 'data')]);
    await expectRefusal(
      inside.ended,
      73,
      /^ringway: the data directory .*file\/data cannot be used: ENOTDIR/m,
    );
    const itself = launch(['start', ...FREE, '--data', file]);
    await expectRefusal(
      itself.ended,
      73,
      /^ringway: the data directory .*file cannot be used: it is not a directory$/m,
    );
  });

  it('takes the credential from the environment at the first start, and keeps it to itself', async () => {
    const env = { RINGWAY_ACCESS_KEY: 'OPERATOR', RINGWAY_SECRET_KEY: 'not-a-secret-key' };
    const service = await launch(['start', ...FREE], env).ready();
    expect(service.stdout)
      .to.match(/Access key +OPERATOR/)
      .and.not.include('not-a-secret-key');
    const file = join(runs().folder, 'data', 'credentials.json');
    const keys = { access_key: 'OPERATOR', secret_key: 'not-a-secret-key' };
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({
      credentials: [{ ...keys, account: 'AUTH_main', role: 'owner' }],
    });
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const [child] = await service.children();
    const seen = await Promise.all(
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${child!.pid}/${name}`, 'utf8')),
    );
    expect(seen.join('')).not.to.include('not-a-secret-key');
  });

  it('refuses half a credential in the environment, and writes nothing', async () => {
    const ended = launch(['start', ...FREE], { RINGWAY_ACCESS_KEY: 'OPERATOR' }).ended;
    await expectRefusal(ended, 78, /^ {2}RINGWAY_SECRET_KEY: expected a value/m);
    expect(await stat(join(runs().folder, 'data')).catch(() => 'none')).to.equal('none');
  });

  it('refuses a credentials file that others can read', async () => {
    const first = await launch(['start', ...FREE]).ready();
    await first.terminate();
    const file = join(runs().folder, 'data', 'credentials.json');
    await chmod(file, 0o640);
    await expectRefusal(
      launch(['start', ...FREE]).ended,
      78,
      /^ {2}mode of .*credentials.json: got 0640, expected 0600/m,
    );
  });
});
