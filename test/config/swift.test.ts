import { chmod, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { ConfigError, describeProblem } from '../../src/config/problem.js';
import { readSecretFile } from '../../src/config/secret-file.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

describe('config: Swift', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await makeTempFolder('config');
  });

  afterEach(() => removeFolder(folder));

  function problemsOf(work: () => unknown): string[] {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems.map((problem) => describeProblem(problem).replaceAll(folder, '.'));
    }
    return [];
  }

  async function load(config: object) {
    const file = join(folder, 'ringway.json');
    await writeFile(file, JSON.stringify(config));
    return loadConfig({ file, flags: {}, cwd: '/cwd' }).options;
  }

  it('takes a cluster, with its files beside the configuration', async () => {
    const options = await load({
      backend: 'swift',
      swift_endpoints: ['http://10.0.0.1:8080', 'http://10.0.0.2:8080'],
      swift_user: 'gateway:gw',
      swift_key_file: 'gateway.key',
      swift_filter_secret_file: '/etc/ringway/filter.secret',
    });
    expect(options.swiftEndpoints).to.have.lengthOf(2);
    expect(options.swiftKeyFile).to.equal(join(folder, 'gateway.key'));
    expect(options.swiftFilterSecretFile).to.equal('/etc/ringway/filter.secret');
  });

  it('says what a cluster needs', async () => {
    const file = join(folder, 'ringway.json');
    await writeFile(file, JSON.stringify({ backend: 'swift', swift_user: 'gateway:gw' }));
    expect(problemsOf(() => loadConfig({ file, flags: {}, cwd: '/cwd' }))).to.deep.equal([
      'swift_endpoints: got [], expected at least one proxy, since backend is swift',
      'swift_key_file: expected a file with the key of swift_user (gateway:gw)',
    ]);
  });

  for (const endpoint of ['10.0.0.1:8080', 'http://h/v1', 'ftp://h', 'http://u@h', 'http://h?a']) {
    it(`refuses ${endpoint} as a proxy`, async () => {
      const file = join(folder, 'ringway.json');
      await writeFile(file, JSON.stringify({ backend: 'swift', swift_endpoints: [endpoint] }));
      const [problem] = problemsOf(() => loadConfig({ file, flags: {}, cwd: '/cwd' }));
      expect(problem).to.match(/^swift_endpoints: .* expected a list of at most 16 different http/);
    });
  }

  describe('secret files', () => {
    it('gives the line of the file', async () => {
      const file = join(folder, 'secret');
      await writeFile(file, 's3cr3t\n', { mode: 0o600 });
      expect(readSecretFile('swift_key_file', file)).to.equal('s3cr3t');
    });

    it('refuses a file that others can read', async () => {
      const file = join(folder, 'secret');
      await writeFile(file, 's3cr3t\n');
      await chmod(file, 0o640);
      expect(problemsOf(() => readSecretFile('swift_key_file', file))).to.deep.equal([
        'swift_key_file (./secret): got mode 0640, expected mode 0600, readable by its owner only (chmod 600 ./secret)',
      ]);
    });

    describe('secret files of systemd, whose ACL shows as a mode of the group', () => {
      let file: string;

      beforeEach(async () => {
        file = join(folder, 'secret');
        await writeFile(file, 's3cr3t\n');
        await chmod(file, 0o440);
      });

      const problems = (credentialsFolder: string | undefined) =>
        problemsOf(() => readSecretFile('swift_key_file', file, credentialsFolder));

      it('are read in the folder of credentials, also through a link', async () => {
        expect(readSecretFile('swift_key_file', file, folder)).to.equal('s3cr3t');
        const link = join(folder, 'link');
        await symlink(folder, link);
        expect(readSecretFile('swift_key_file', file, `${link}/`)).to.equal('s3cr3t');
      });

      it('are known by the folder that the environment names', () => {
        const before = process.env.CREDENTIALS_DIRECTORY;
        process.env.CREDENTIALS_DIRECTORY = folder;
        try {
          expect(readSecretFile('swift_key_file', file)).to.equal('s3cr3t');
        } finally {
          if (before === undefined) delete process.env.CREDENTIALS_DIRECTORY;
          else process.env.CREDENTIALS_DIRECTORY = before;
        }
      });

      it('are refused in other folders', () => {
        const elsewhere = ['', '/', dirname(folder), relative('.', folder), join(folder, 'gone')];
        for (const other of [undefined, ...elsewhere]) {
          expect(problems(other).join('\n'), other).to.match(/got mode 0440, expected mode 0600/);
        }
      });

      for (const mode of [0o444, 0o460, 0o450]) {
        it(`are refused with mode 0${mode.toString(8)}`, async () => {
          await chmod(file, mode);
          expect(problems(folder)).to.deep.equal([
            `swift_key_file (./secret): got mode 0${mode.toString(8)}, expected mode 0440 or less, as systemd makes it`,
          ]);
        });
      }
    });

    for (const [what, text] of [
      ['nothing', ''],
      ['two lines', 'a\nb\n'],
      ['spaces', 'a b'],
    ] as const) {
      it(`refuses ${what}, and does not show it`, async () => {
        const file = join(folder, 'secret');
        await writeFile(file, text, { mode: 0o600 });
        expect(problemsOf(() => readSecretFile('swift_key_file', file))).to.deep.equal([
          'swift_key_file (./secret): expected one line of 1 to 512 printable ASCII characters without spaces',
        ]);
      });
    }

    it('names a file that is not there', () => {
      const [problem] = problemsOf(() => readSecretFile('swift_key_file', join(folder, 'none')));
      expect(problem).to.match(/^swift_key_file \(\.\/none\): expected a readable file \(ENOENT/);
    });
  });
});
