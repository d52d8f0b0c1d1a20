import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { elsewhereOf } from '../documents/elsewhere.js';
import { fencesOf, scriptOf, type Fence } from '../documents/fences.js';
import { WALKS, type Walk } from '../documents/walks.js';
import { freePort } from '../support/free-port.js';
import { itWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { presignQuery } from '../support/sigv4.js';
import { skipBecause } from '../support/skip.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { hasFuse } from './fuse.js';
import { pythonEnvironment } from './programs.js';
import { warmAwsFor, type WarmAws } from './warm-shell.js';

const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

/** A guard, no measurement. */
const LIMIT_MS = 120_000;

/** A command that fails ends a walk, and is named. */
const PRELUDE = `
set -eEu -o pipefail
shopt -s expand_aliases
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
ringway() { "$NODE" "$MAIN" "$@"; }
`;

/** Each walk has an account of its own. */
const USERS = WALKS.map((_, at) => ({
  access_key: `WALKER${at}`,
  secret_key: `walker-secret-${at}`,
  account: `AUTH_walk${at}`,
  role: 'owner',
}));

/** Those that pages give rights to. */
const OTHERS = ['anna', 'restic'].map((name) => ({
  access_key: name.toUpperCase(),
  secret_key: `${name}-secret-key`,
  account: 'AUTH_main',
  role: 'member',
  user: `main:${name}`,
}));

describe('documentation: commands that are run', function () {
  this.timeout(LIMIT_MS);
  const folder = useTempFolderOnce('documented');
  let service: Service;
  let storePort: number;
  let deployPort: number;
  let shellEnv: Record<string, string>;
  let warmAws: WarmAws | undefined;

  before(async () => {
    [storePort, deployPort] = [await freePort(), await freePort()];
    const dataDir = join(folder(), 'data');
    const credentials = { credentials: [...USERS, ...OTHERS] };
    const config = { data_dir: dataDir, credentials_file: 'credentials.json', listeners: 1 };
    await writeFile(join(folder(), 'credentials.json'), JSON.stringify(credentials), {
      mode: 0o600,
    });
    await writeFile(join(folder(), 'ringway.json'), JSON.stringify(config));
    service = await startService({
      configFile: join(folder(), 'ringway.json'),
      dataDir,
      store: `127.0.0.1:${storePort}`,
    });
    const env = {
      ...{ LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' },
      ...{ NODE: process.execPath, MAIN, PROJECT: process.cwd() },
      // As in support/programs.ts: Debian's own first.
      PATH: `/usr/bin${delimiter}${process.env.PATH ?? ''}`,
      ...pythonEnvironment(folder()),
    };
    const bin = join(folder(), 'bin');
    await mkdir(bin);
    warmAws = await warmAwsFor(bin, env);
    shellEnv = { ...env, ...warmAws?.env };
  });

  after(async () => {
    for (const end of ends) end();
    warmAws?.end();
    await service.stop();
  });

  WALKS.forEach((walk, at) => {
    const needs = [program('bash'), ...walk.needs.map(program)];
    itWith(needs, `${walk.page}: ${walk.headings.join(', ')}`, async function () {
      if (walk.hasMount === true && !hasFuse()) skipBecause(this, 'the machine has no FUSE');
      const home = join(folder(), `home-${at}`);
      const fences = fencesOf(walk.page).filter(({ heading }) => walk.headings.includes(heading));
      const made = (text: string): string => filledIn(walk, at, text);
      for (const { path, text } of filesOf(fences)) {
        await mkdir(dirname(join(home, path)), { recursive: true, mode: 0o700 });
        await writeFile(join(home, path), made(text));
      }
      await mkdir(join(home, 'work'), { recursive: true });
      await makeBuckets(walk, at);
      const example = fences.find(({ language }) => language === 'json')?.text ?? '';
      const own = { HOME: home, EXAMPLE: made(example), PRESIGNED_PUT_URL: presigned(at) };
      const script = made(shellTextOf(walk, fences));
      const run = await bash(script, join(home, 'work'), { ...shellEnv, ...own });
      const { code, stdout, stderr } = run;
      expect(code, `${stdout}\n${stderr}`).to.equal(0);
      expect(stdout, stderr).not.to.match(/"error": ?\{/);
    });
  });

  /** What a reader puts in the place of a page's marks, and of addresses that are taken. */
  function filledIn(walk: Walk, at: number, text: string): string {
    const { access_key: accessKey = '', secret_key: secretKey = '' } = USERS[at] ?? {};
    const [own = '', other = ''] = walk.instead ?? [];
    const pairs: readonly (readonly [string, string])[] = [
      ['127.0.0.1:8000', new URL(service.endpoint).host],
      ['127.0.0.1:9464', new URL(service.adminEndpoint).host],
      ['127.0.0.1:8070', `127.0.0.1:${storePort}`],
      ['127.0.0.1:9700', `127.0.0.1:${deployPort}`],
      ['/etc/ringway/ringway.json', join(folder(), 'ringway.json')],
      ['node dist/supervisor/main.js', 'ringway'],
      ['access_key_id = …', `access_key_id = ${accessKey}`],
      ['AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${accessKey}`],
      ['AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${secretKey}`],
      ['secret_access_key = …', `secret_access_key = ${secretKey}`],
      ['access_key = …', `access_key = ${accessKey}`],
      ['secret_key = …', `secret_key = ${secretKey}`],
      ['RESTIC_PASSWORD=…', 'RESTIC_PASSWORD=battery-staple'],
      ['KEY:SECRET', `${accessKey}:${secretKey}`],
      ['<access key>', accessKey],
      ['<secret key>', secretKey],
      [own, other],
    ];
    return pairs
      .filter(([mark]) => mark !== '')
      .reduce((filled, [mark, value]) => filled.replaceAll(mark, value), text);
  }

  async function makeBuckets({ buckets = [] }: Walk, at: number): Promise<void> {
    const s3 = new S3TestClient(addressOf(at));
    for (const name of buckets) expect((await s3.put(`/${name}`)).status).to.equal(200);
    await s3.close();
  }

  function addressOf(at: number) {
    const { access_key: accessKey = '', secret_key: secretKey = '' } = USERS[at] ?? {};
    return { endpoint: service.endpoint, accessKey, secretKey };
  }

  function presigned(at: number): string {
    const rawPath = '/photos/piped';
    const headers = { host: new URL(service.endpoint).host };
    const identity = { ...addressOf(at), region: 'us-east-1' };
    const query = presignQuery(identity, { method: 'PUT', rawPath, headers }, new Date(), 3600);
    return `${service.endpoint}${rawPath}?${query}`;
  }
});

/** Files of the home that a section shows, with the path in their first line. */
function filesOf(fences: readonly Fence[]): { path: string; text: string }[] {
  return fences
    .filter(({ language }) => language === 'ini')
    .flatMap(({ text }) => {
      const path = /^# ~\/(?<path>\S+)\n/.exec(text)?.groups?.path;
      return path === undefined ? [] : [{ path, text }];
    });
}

/** The commands of all blocks, each with what comes before it. */
function shellTextOf(walk: Walk, fences: readonly Fence[]): string {
  const blocks = fences.map(scriptOf).filter((text) => text !== '');
  const lines = blocks.flatMap((text, at) => [
    walk.before?.[at] ?? '',
    ...text
      .split('\n')
      .filter((line) => elsewhereOf(walk.page, withoutComment(line)) === undefined),
  ]);
  return PRELUDE + lines.join('\n');
}

function withoutComment(line: string): string {
  return line.replace(/\s#\s.*$/, '').trim();
}

/** Of walks that have not come to their end: what ends them, and all that they have begun. */
const ends = new Set<() => void>();

async function bash(text: string, cwd: string, env: Readonly<Record<string, string>>) {
  const script = join(dirname(cwd), 'script');
  await writeFile(script, text);
  const child = spawn('bash', [script], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const end = (): void => void process.kill(-(child.pid ?? 0), 'SIGKILL');
  ends.add(end);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  ends.delete(end);
  return { code, stdout, stderr };
}
