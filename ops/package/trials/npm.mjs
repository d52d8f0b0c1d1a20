/** The npm tarball, installed as `npm install --global` does, with a home and a prefix of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { PATIENTLY, packageOf, step } from './aids.mjs';
import { PORTS, keyOf, logIn, storeAndRead } from './client.mjs';

/** @param {string} packages a folder */
export async function tryNpm(packages) {
  const home = mkdtempSync(`${tmpdir()}/ringway-try-npm-`);
  try {
    const prefix = `${home}/prefix`;
    const env = {
      ...process.env,
      HOME: home,
      PATH: `${prefix}/bin:${process.env.PATH}`,
      npm_config_cache: `${home}/cache`,
      npm_config_prefix: prefix,
    };
    mkdirSync(prefix);
    /** @param {string} program @param {readonly string[]} args */
    const run = (program, ...args) => {
      const { status, stdout, stderr } = spawnSync(program, args, {
        cwd: home,
        env,
        encoding: 'utf8',
      });
      if (status !== 0)
        throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
      return stdout;
    };
    step('npm install --global');
    run(
      'npm',
      'install',
      '--global',
      '--no-audit',
      '--no-fund',
      packageOf(packages, 'ringway-', '.tgz'),
    );
    step(run('ringway', 'version').trim());
    if (!run('ringway', 'help').includes('Usage:')) throw new Error('the help has no usage');
    await serve(env, `${home}/data`, run);
    step('npm uninstall --global');
    run('npm', 'uninstall', '--global', 'ringway');
    for (const left of [`${prefix}/bin/ringway`, `${prefix}/lib/node_modules/ringway`]) {
      if (existsSync(left)) throw new Error(`${left} is left`);
    }
    if (!existsSync(`${home}/data/store`)) throw new Error('the objects are gone');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} data
 * @param {(program: string, ...args: string[]) => string} run
 */
async function serve(env, data, run) {
  step('ringway start');
  const listen = Object.entries(PORTS).map(([name, port]) => `--${name}=127.0.0.1:${port}`);
  const service = spawn('ringway', ['start', '--data', data, ...listen], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(service, 'close');
  let code;
  try {
    run('ringway', 'wait-ready', ...PATIENTLY, '--data', data);
    const access = keyOf(`${data}/credentials.json`);
    await storeAndRead(access);
    await logIn(access);
  } finally {
    service.kill('SIGTERM');
    [code] = await ended;
  }
  if (code !== 0) throw new Error(`the service ended with ${code}`);
}
