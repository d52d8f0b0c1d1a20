/**
 * A whole cluster on this machine, made by Deploy: `npm run demo`. See docs/deploy.md.
 */
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { messageOf } from '../dev/lib/errors.mjs';
import { demoSpec } from './lib/cluster.mjs';
import { bringUp, endAll, takeAway } from './lib/up.mjs';

const DEFAULT_DIR = '.ringway-demo';
const USAGE = `usage: npm run demo -- [--dir FOLDER]

Brings up a Swift cluster of four nodes, made by Deploy, with Ringway and its console over it.
Ctrl-C takes all of it away, files included.

  --dir FOLDER   default ${DEFAULT_DIR} in the working directory; it must not exist, or be a demo's`;

const say = (/** @type {string} */ line) => console.log(line);

/** @param {string} dir */
async function demo(dir) {
  const { state } = await bringUp(dir, demoSpec, say);
  for (const line of described(state)) say(line);
}

/** @param {{ s3: string, console: string, deploy: string, token_file: string, login: { account: string, user: string, key: string } }} state */
function described({ s3, console: page, deploy, token_file: token, login }) {
  const { account, user, key } = login;
  return [
    '',
    `Console   ${page}`,
    `          account ${account}, user ${user}, key ${key}`,
    `S3        ${s3}`,
    `          access key ${account}:${user}, secret key ${key}`,
    `Deploy    ${deploy} for programs, in the console for people`,
    `          user deploy, password in ${token}`,
    '',
    'Ctrl-C takes all of it away.',
  ];
}

/**
 * Resolves when the user wants the end. The handlers stay: a second Ctrl-C does not cut short what
 * is taken away.
 *
 * @returns {Promise<'interrupted'>}
 */
function interrupted() {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(name, () => resolve('interrupted'));
    }
  });
}

/**
 * Brings a demo up, and takes it away when the user wants the end or it cannot be brought up.
 *
 * @param {string} dir
 */
async function untilInterrupted(dir) {
  // Signals alone do not keep a process.
  const stay = setTimeout(() => undefined, 2 ** 31 - 1);
  const end = interrupted();
  const up = demo(dir);
  try {
    await Promise.race([up, end]);
    await end;
  } finally {
    await endAll(dir, say);
    // A start that was interrupted fails with its processes: it must not go on beneath what follows.
    await up.catch(() => undefined);
    await takeAway(dir);
    clearTimeout(stay);
  }
}

try {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string', default: DEFAULT_DIR },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) say(USAGE);
  else await untilInterrupted(resolve(values.dir));
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
