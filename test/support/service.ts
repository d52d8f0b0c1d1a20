import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { requireNoSecrets } from './secrets.js';
import { IS_EMBEDDED, openStack, type Stack } from './stack.js';
import { makeTempFolder, removeFolder } from './temp-folder.js';

/** Relative to the compiled file: the supervisor of the same build. */
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

type ServiceProcess = ChildProcessByStdio<null, Readable, Readable>;

/** A guard against a hang, generous for a machine on which other suites run. */
const START_LIMIT_MS = 110_000;

export interface ServiceOptions {
  /** Address of the store's Swift API. Default: none. */
  readonly store?: string;
  /** Address of the console. Default: none. */
  readonly console?: string;
  /** Default 2, enough to notice what is not shared between them; what a `configFile` says. */
  readonly listeners?: number;
  /** Further keys of the configuration file. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** A configuration file to use as it is, instead of `config` and `users`. */
  readonly configFile?: string;
  /** A data directory to use again; it stays after `stop`. */
  readonly dataDir?: string;
  /** Further credentials, besides the service's own, which owns AUTH_main. */
  readonly users?: readonly TestUser[];
  /** Added to the environment; undefined removes. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of another program than the supervisor's own; it has the same command line. */
  readonly main?: string;
}

/** A line of the credentials file. */
export interface TestUser {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly account: string;
  readonly role: 'owner' | 'member';
  /** `account:name` */
  readonly user?: string;
}

/** The real service in processes of its own, as `npm start` runs it, on ports of its own. */
export interface Service {
  /** `http://127.0.0.1:PORT` of the S3 API. */
  readonly endpoint: string;
  /** `http://127.0.0.1:PORT` of the admin port. */
  readonly adminEndpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly dataDir: string;
  readonly supervisorPid: number;
  /** Process ids of the children that live now: the listeners, then the janitor. */
  pids(): number[];
  /** All it wrote so far, to stdout and stderr. */
  output(): string;
  /**
   * SIGTERM; resolves with the exit code when all is over. Harmless when it has ended.
   * @throws Error when a secret is in what it wrote
   */
  stop(): Promise<number | null>;
  /** SIGKILL to the supervisor and every child at once, as a power cut would. */
  kill9(): Promise<void>;
}

const CREDENTIAL = {
  accessKey: 'RINGWAYTESTKEY',
  secretKey: 'ringway-test-secret/key+1234567890',
} as const;

/** @throws Error with the service's output when it ends, or is not ready in time */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = await makeTempFolder('service');
  const dataDir = options.dataDir ?? join(folder, 'data');
  const configFile = options.configFile ?? join(folder, 'config.json');
  const stack = await openStack(dataDir);
  if (options.configFile === undefined) {
    const credentials = await writeCredentials(folder, stack, options.users);
    const config = {
      listener_start_timeout_ms: START_LIMIT_MS,
      ...stack.config,
      ...credentials,
      ...accountsOf(stack, options.config),
    };
    await writeFile(configFile, JSON.stringify(config));
  }

  const args = [options.main ?? stack.main ?? MAIN, ...serviceArgs(configFile, dataDir, options)];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      ...process.env,
      RINGWAY_ACCESS_KEY: CREDENTIAL.accessKey,
      RINGWAY_SECRET_KEY: CREDENTIAL.secretKey,
      ...stack.env,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const secrets = [CREDENTIAL, ...(options.users ?? [])].map(({ secretKey }) => secretKey);
  const running = new RunningService(child, folder, dataDir, secrets);
  try {
    await running.ready();
  } catch (error) {
    await running.kill9();
    throw error;
  }
  return running;
}

/**
 * Stops a service, as the last of its tests.
 * @throws Error unless it ends with 0
 */
export async function stopCleanly(service: Service): Promise<void> {
  const code = await service.stop();
  if (code !== 0) throw new Error(`the service ended with ${code ?? 'a signal'}`);
}

/** @returns the keys of the configuration that name the file; none where the environment will do */
async function writeCredentials(
  folder: string,
  stack: Stack,
  users: readonly TestUser[] | undefined,
): Promise<object> {
  if (users === undefined && IS_EMBEDDED) return {};
  const own: TestUser = { ...CREDENTIAL, account: 'AUTH_main', role: 'owner' };
  const all = [own, ...(users ?? [])];
  const credentials = all.map(({ accessKey, secretKey, account, role, user }) => ({
    access_key: accessKey,
    secret_key: secretKey,
    account: stack.account(account),
    role,
    // The name without the account's, which differs there.
    user: user ?? (IS_EMBEDDED ? undefined : `${account.replace('AUTH_', '')}:${accessKey}`),
  }));
  const file = join(folder, 'credentials.json');
  await writeFile(file, JSON.stringify({ credentials }), { mode: 0o600 });
  return { credentials_file: file };
}

/** The keys of a test's configuration that name an account. */
function accountsOf(
  stack: Stack,
  config: ServiceOptions['config'] = {},
): Readonly<Record<string, unknown>> {
  const { anonymous_account: anonymous } = config;
  if (typeof anonymous !== 'string' || anonymous === '') return config;
  return { ...config, anonymous_account: stack.account(anonymous) };
}

function serviceArgs(configFile: string, dataDir: string, options: ServiceOptions): string[] {
  const anyPort = '127.0.0.1:0';
  const listeners = options.listeners ?? (options.configFile === undefined ? 2 : undefined);
  return [
    'start',
    ...['--config', configFile, '--data', dataDir],
    ...['--s3', anyPort, '--admin', anyPort],
    ...['--store', options.store ?? '', '--console', options.console ?? ''],
    ...(listeners === undefined ? [] : ['--listeners', String(listeners)]),
  ];
}

class RunningService implements Service {
  endpoint = '';
  adminEndpoint = '';
  readonly accessKey = CREDENTIAL.accessKey;
  readonly secretKey = CREDENTIAL.secretKey;
  private text = '';
  private readonly ended: Promise<number | null>;

  constructor(
    private readonly child: ServiceProcess,
    private readonly folder: string,
    readonly dataDir: string,
    private readonly secrets: readonly string[],
  ) {
    const killOnExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killOnExit);
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        process.off('exit', killOnExit);
        resolve(code);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    }
  }

  /** Waits for the banner: it is printed when the listeners accept. */
  async ready(): Promise<void> {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    for (;;) {
      const s3 = /S3 endpoint\s+(http\S+)/.exec(this.text)?.[1];
      const admin = /Admin\s+(http\S+)/.exec(this.text)?.[1];
      if (s3 !== undefined && admin !== undefined) {
        this.endpoint = s3;
        this.adminEndpoint = admin;
        return;
      }
      await this.nextOutput(limit);
    }
  }

  private async nextOutput(limit: AbortSignal): Promise<void> {
    const wasEnded = this.ended.then((code) => {
      throw new Error(`the service ended with ${code ?? 'a signal'}:\n${this.text}`);
    });
    try {
      await Promise.race([once(this.child.stdout, 'data', { signal: limit }), wasEnded]);
    } catch (error) {
      if (!limit.aborted) throw error;
      throw new Error(`not ready in ${START_LIMIT_MS} ms:\n${this.text}`, { cause: error });
    }
  }

  get supervisorPid(): number {
    if (this.child.pid === undefined) throw new Error('the service has not started');
    return this.child.pid;
  }

  pids(): number[] {
    const pid = this.supervisorPid;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number);
  }

  output(): string {
    return this.text;
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    const code = await this.ended;
    await removeFolder(this.folder);
    // Checks every service that the suite starts, whatever it tests.
    requireNoSecrets(this.text, this.secrets);
    return code;
  }

  async kill9(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      for (const pid of [this.supervisorPid, ...this.pids()]) killNow(pid);
    }
    await this.ended;
    await removeFolder(this.folder);
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself in between.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
