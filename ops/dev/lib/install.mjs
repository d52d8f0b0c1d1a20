import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { run } from './run.mjs';
import { codeOf } from './errors.mjs';

const LOCK = `${ROOT}/package-lock.json`;
const STAMP = `${ROOT}/node_modules/.ringway-lock-hash`;
/** npm's own record of what it put into node_modules. */
const INSTALLED = `${ROOT}/node_modules/.package-lock.json`;

/** Installs exactly what package-lock.json says, unless that is what is there. */
export async function install() {
  const wanted = lockHash();
  if (readIfThere(STAMP) === wanted) return;
  if (!isInstalled(readIfThere(INSTALLED), readFileSync(LOCK, 'utf8'))) {
    console.log('ringway: installing dependencies (once per change of package-lock.json)');
    // --include=dev: the compiler is needed also where NODE_ENV=production is set.
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code } = await run('npm', args, { env: withoutNpmScript(process.env) });
    if (code !== 0) throw new Error(`npm ci failed with exit code ${code}`);
  }
  writeFileSync(STAMP, wanted);
}

export function lockHash() {
  return createHash('sha256').update(readFileSync(LOCK)).digest('hex');
}

/**
 * Whether a plain `npm install` has brought the same packages already. Optional ones may be
 * missing: they are for other platforms.
 *
 * @param {string | null} installed text of node_modules/.package-lock.json
 * @param {string} wanted text of package-lock.json
 */
export function isInstalled(installed, wanted) {
  if (installed === null) return false;
  const there = JSON.parse(installed).packages;
  return Object.entries(JSON.parse(wanted).packages).every(([path, entry]) => {
    if (path === '') return true;
    const found = there[path];
    if (found === undefined) return entry.optional === true;
    // npm has no hash for what comes out of a git repository: its commit says which it is.
    if (entry.resolved?.startsWith('git') && found.resolved !== entry.resolved) return false;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Unsets npm's variables of a script: the npm that we start would take them as configuration.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, undefined>}
 */
function withoutNpmScript(env) {
  const unset = Object.keys(env).filter((name) => /^npm_(?!config_)/.test(name));
  return Object.fromEntries(unset.map((name) => [name, undefined]));
}
