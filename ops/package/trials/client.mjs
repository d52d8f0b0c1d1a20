/** Clients of a service under trial: the aws cli, a browser that logs in, and readers beside a change. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { logIn as logInAt } from '../../dev/lib/console-login.mjs';
import { step } from './aids.mjs';

/** Beside whatever else runs on this host: a root shares its network. */
export const PORTS = { s3: 18_000, admin: 18_464, console: 18_900, store: 18_001 };
/** Between the reads of a client, which leave the processors to what is tried. */
const READ_EVERY_MS = 40;

/** @typedef {{ access_key: string, secret_key: string }} Access */

/** @param {string} file `credentials.json` of a data directory @returns {Access} */
export function keyOf(file) {
  const text = readFileSync(file, 'utf8');
  const [first] = [...text.matchAll(/"access_key":\s*"([^"]+)"[^}]*?"secret_key":\s*"([^"]+)"/g)];
  if (first === undefined) throw new Error('there is no credential');
  return { access_key: first[1] ?? '', secret_key: first[2] ?? '' };
}

/** @param {Access} access */
export async function storeAndRead(access) {
  step('aws s3 cp, both ways');
  const folder = mkdtempSync(`${tmpdir()}/ringway-try-files-`);
  try {
    const bytes = Buffer.alloc(9 << 20, 'ringway ');
    writeFileSync(`${folder}/up`, bytes);
    if (!aws(access, ['s3', 'ls']).includes('first')) aws(access, ['s3', 'mb', 's3://first']);
    aws(access, ['s3', 'cp', '--quiet', `${folder}/up`, 's3://first/object']);
    aws(access, ['s3', 'cp', '--quiet', 's3://first/object', `${folder}/down`]);
    if (!readFileSync(`${folder}/down`).equals(bytes)) throw new Error('other bytes came back');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Access} access @param {readonly string[]} args */
function aws({ access_key, secret_key }, args) {
  const endpoint = `--endpoint-url=http://127.0.0.1:${PORTS.s3}`;
  const { status, stdout, stderr } = spawnSync('aws', [endpoint, ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: access_key,
      AWS_SECRET_ACCESS_KEY: secret_key,
      AWS_DEFAULT_REGION: 'us-east-1',
      BOTO_DISABLE_CRT: 'true',
    },
  });
  if (status !== 0) throw new Error(`aws ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** @param {Access} access */
export async function logIn({ access_key, secret_key: key }) {
  step("the console's login");
  const [account, user] = access_key.includes(':') ? access_key.split(':') : ['', access_key];
  await logInAt(`http://127.0.0.1:${PORTS.console}`, {
    account: account ?? '',
    user: user ?? '',
    key,
  });
}

/**
 * The service is ready before its console is.
 *
 * @template T
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function untilItListens(act) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(200);
    }
  }
}

/**
 * Clients read without a second try meanwhile; none may fail.
 *
 * @param {Access} access
 * @param {string} name
 * @param {() => Promise<void>} work
 */
export async function whileClientsRead(access, name, work) {
  step(`${name}, while clients read`);
  const url = aws(access, ['s3', 'presign', 's3://first/object']);
  // Connections that the service has closed while this process waited for a program are noticed first.
  await delay(100);
  let isDone = false;
  let reads = 0;
  const client = async () => {
    while (!isDone) {
      const answer = await fetch(url, { headers: { range: 'bytes=0-1023' } });
      if (answer.status !== 206) throw new Error(`a read got ${answer.status} during ${name}`);
      await answer.arrayBuffer();
      reads += 1;
      await delay(READ_EVERY_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  try {
    await Promise.race([work(), clients]);
  } finally {
    isDone = true;
  }
  await clients;
  console.log(`try: ${reads} reads, none failed`);
}
