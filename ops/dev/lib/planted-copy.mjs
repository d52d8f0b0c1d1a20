import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { packageFile } from './run.mjs';
import { planStages } from './stages.mjs';
import { codeOf } from './errors.mjs';

/** Folders that a copy does without: large ones, links, and those of a running service. */
const NOT_COPIED = new Set(['node_modules', '.git', '.build', 'data', '.swift-lab', 'coverage']);

/** A suite that a bug has hung has noticed it. */
const RUN_MS_MAX = 180_000;
/** The limit for all suites one after the other, without a bug. */
const BASELINE_MS_MAX = 30 * 60_000;

/** Compiles one file as the build does, without its types and without what it imports. */
const ONE_FILE = {
  extends: './tsconfig.json',
  compilerOptions: {
    ...{ noCheck: true, noResolve: true, types: [], sourceMap: false },
    ...{ rootDir: '.', outDir: 'dist' },
  },
};

/** Errors which say that the planted text is no valid program: no test has noticed the bug. */
const NO_PROGRAM = /\b(?:ReferenceError|SyntaxError)\b|is not defined/;

/**
 * A copy of the checkout in which bugs are planted one after the other, so that the checkout itself
 * is never changed. Only the file with the bug is compiled, without its types.
 */
export class PlantedCopy {
  #root = mkdtempSync(join(tmpdir(), 'ringway-planted-'));

  constructor() {
    cpSync(ROOT, this.#root, {
      recursive: true,
      filter: (path) => dirname(path) !== ROOT || !NOT_COPIED.has(basename(path)),
    });
    symlinkSync(`${ROOT}/node_modules`, `${this.#root}/node_modules`);
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /**
   * Does its work with a file as it is given, and puts back what was there.
   *
   * @param {{ path: string, text: string }} planted
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   * @template T
   */
  async with({ path, text }, work) {
    const files = [`${this.#root}/${path}`];
    if (path.endsWith('.ts')) files.push(compiled(this.#root, path));
    const former = files.map((file) => ({ file, content: readFileSync(file) }));
    try {
      this.#write(path, text);
      return await work();
    } finally {
      for (const { file, content } of former) writeFileSync(file, content);
    }
  }

  /**
   * @typedef {object} Outcome
   * @property {string[]} failed titles
   * @property {boolean} isBroken the failure is of text that is no program
   * @property {number} passed
   * @property {string[]} skipped titles
   * @property {boolean} hung
   *
   * @param {{ tests: readonly string[], grep?: string | undefined }} which
   * @param {{ size?: import('./stages.mjs').Size, bail?: boolean }} [options] the run whose suites
   *   are tried
   * @returns {Promise<Outcome>}
   */
  async run({ tests, grep }, { size = 'all', bail = true } = {}) {
    const timeoutMs = bail ? RUN_MS_MAX : BASELINE_MS_MAX;
    const files = filesOf(size, tests);
    // Mocha without files would take some of its own choice.
    if (files.length === 0)
      return { failed: [], isBroken: false, passed: 0, skipped: [], hung: false };
    const report = join(this.#root, '.planted.json');
    rmSync(report, { force: true });
    const args = [
      packageFile('mocha/bin/mocha.js'),
      ...(bail ? ['--bail'] : []),
      ...['--reporter', './ops/dev/lib/reporter.mjs', '--reporter-option', `output=${report}`],
      ...(grep === undefined ? [] : ['--grep', grep]),
      ...files,
    ];
    const { hung, output } = await this.#spawn(args, timeoutMs);
    const { passed, failed, skipped } = readReport(report, output);
    return {
      failed: failed.map(({ title }) => title),
      isBroken: failed.length > 0 && failed.every(({ error }) => NO_PROGRAM.test(error)),
      passed,
      skipped: skipped.map(({ title }) => title),
      hung,
    };
  }

  /** @param {string} path @param {string} text */
  #write(path, text) {
    writeFileSync(`${this.#root}/${path}`, text);
    if (!path.endsWith('.ts')) return;
    const config = join(this.#root, '.planted-tsconfig.json');
    writeFileSync(config, JSON.stringify({ ...ONE_FILE, files: [path] }));
    const compiler = packageFile('typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', config], {
      cwd: this.#root,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${path} is no TypeScript with the bug: ${stdout.trim()}`);
  }

  /**
   * @param {readonly string[]} args
   * @param {number} timeoutMs
   * @returns {Promise<{ hung: boolean, output: string }>}
   */
  #spawn(args, timeoutMs) {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd: this.#root,
        // The same environment as in ops/dev/lib/mocha.mjs.
        env: { ...process.env, UWS_HTTP_MAX_HEADERS_SIZE: '65536' },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, to end what tests have started, too.
        detached: true,
      });
      /** @type {Buffer[]} */
      const chunks = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (c) => chunks.push(c));
      let hung = false;
      const end = () => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch (error) {
          if (codeOf(error) !== 'ESRCH') throw error;
        }
      };
      const timer = setTimeout(() => {
        hung = true;
        end();
      }, timeoutMs);
      child.once('error', reject);
      child.once('exit', () => {
        clearTimeout(timer);
        end();
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ hung, output: Buffer.concat(chunks).toString('utf8') });
      });
    });
  }
}

/**
 * @param {import('./stages.mjs').Size} size
 * @param {readonly string[]} tests
 * @returns {string[]} each file once; a suite of `npm test` is none of the rest on another store
 */
function filesOf(size, tests) {
  const plan = (/** @type {import('./stages.mjs').Size} */ of) =>
    planStages(tests, undefined, undefined, of).flatMap(({ files }) => files);
  const quick = plan('quick');
  const files = size === 'rest' ? plan('all').filter((file) => !quick.includes(file)) : plan(size);
  return [...new Set(files)];
}

/**
 * A run without a report could not even load its files: that is no test that fails.
 *
 * @param {string} path
 * @param {string} output of the run
 * @returns {import('./mocha.mjs').Report}
 */
function readReport(path, output) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return {
      passed: 0,
      failed: [{ title: 'no test', error: `SyntaxError\n${output}` }],
      skipped: [],
    };
  }
}

/**
 * @param {string} root
 * @param {string} path
 */
function compiled(root, path) {
  return `${root}/dist/${path.replace(/\.ts$/, '.js')}`;
}
