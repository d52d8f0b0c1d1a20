import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../support/eventually.js';
import { useEach, type Fixture } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';

/** The real program. */
export const MAIN = fileURLToPath(new URL('../../../supervisor/main.js', import.meta.url));
const FAKE_MAIN = fileURLToPath(new URL('./fake-main.js', import.meta.url));

/** Against hangs only, on a machine that may be busy: nothing here takes a second of CPU. */
const LIMIT_MS = 50_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StatusChild {
  readonly kind: 'listener' | 'janitor' | 'store' | 'console' | 'deploy';
  /** Of listeners alone. */
  readonly worker?: number;
  readonly pid: number;
  readonly state: string;
  readonly restarts: number;
}

export interface Status {
  readonly children: readonly StatusChild[];
  readonly configuration_hash: string;
  readonly s3_listen: string;
  readonly listeners: { readonly console?: string };
}

export interface SupervisedOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly main?: string;
  /** Or a file's descriptor: then nothing of it is seen here. */
  readonly stderr?: 'pipe' | number;
  readonly nodeFlags?: readonly string[];
}

/** One run of the program, by default with fake listeners; see fake-listener.ts for what they can do. */
export class Supervised {
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';
  #hasEnded = false;
  readonly #news = new EventEmitter();
  readonly #process: ChildProcess;

  constructor(args: readonly string[], options: SupervisedOptions = {}) {
    const { env, cwd, main = FAKE_MAIN, stderr = 'pipe', nodeFlags = [] } = options;
    this.#process = spawn(process.execPath, [...nodeFlags, main, ...args], {
      cwd,
      env: { ...process.env, RINGWAY_ACCESS_KEY: undefined, RINGWAY_SECRET_KEY: undefined, ...env },
      stdio: ['ignore', 'pipe', stderr],
    });
    this.#collect(this.#process.stdout, (text) => (this.#stdout += text));
    this.#collect(this.#process.stderr, (text) => (this.#stderr += text));
    this.ended = once(this.#process, 'close').then(([code, signal]) => {
      this.#hasEnded = true;
      this.#news.emit('news');
      return {
        code: code as number | null,
        signal: signal as NodeJS.Signals | null,
        stdout: this.#stdout,
        stderr: this.#stderr,
      };
    });
  }

  #collect(stream: Readable | null, add: (text: string) => void): void {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      add(text);
      this.#news.emit('news');
    });
  }

  get #output(): string {
    return `${this.#stdout}\n${this.#stderr}`;
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('not started');
    return this.#process.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Waits for text on stdout or stderr. @throws Error when the program ends before, or hangs */
  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    const hang = AbortSignal.timeout(LIMIT_MS);
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      const why = this.#hasEnded ? 'ended' : hang.aborted ? 'hangs' : undefined;
      if (why !== undefined) throw new Error(`${why} before ${String(pattern)}:\n${this.#output}`);
      await once(this.#news, 'news', { signal: hang }).catch(() => undefined);
    }
  }

  async ready(): Promise<this> {
    await this.sees(/Listeners +\d/);
    return this;
  }

  /** `HOST:PORT` */
  async adminAddress(): Promise<string> {
    const [, address = ''] = await this.sees(/Admin +http:\/\/(\S+)/);
    return address;
  }

  async admin(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://${await this.adminAddress()}${path}`, init);
  }

  async status(): Promise<Status> {
    return (await (await this.admin('/statusz')).json()) as Status;
  }

  async children(): Promise<readonly StatusChild[]> {
    const { children } = await this.status();
    // Without what it takes of the machine, which differs each time.
    return children.map(({ kind, worker, pid, state, restarts }) => {
      const number = worker === undefined ? {} : { worker };
      return { kind, ...number, pid, state, restarts };
    });
  }

  /**
   * The value of a metric line, e.g. `fake_total` or `x{worker="1"}`; NaN when it is not there. It
   * is taken from a scrape that all children but `silent` answered: the supervisor shows old values
   * of those that are merely busy.
   */
  async metric(series: string, silent = 0): Promise<number> {
    for (;;) {
      const text = await (await this.admin('/metrics')).text();
      if (valueOf(text, 'ringway_scrape_children_missing') === silent) return valueOf(text, series);
    }
  }

  /** Waits until a metric is as it has to be. */
  async untilMetric(series: string, holds: (value: number) => boolean): Promise<void> {
    await eventually(() => this.metric(series), holds);
  }

  /** Waits for all children: the banner tells of listeners alone. */
  untilAllUp(): Promise<readonly StatusChild[]> {
    return eventually(
      () => this.children(),
      (children) => children.every(({ state }) => state === 'up'),
    );
  }

  /** A busy listener may report late, and counts as stuck until then. */
  async untilReady(): Promise<void> {
    await eventually(
      async () => (await this.admin('/readyz')).status,
      (status) => status === 200,
    );
  }

  /** Makes one fake listener do something. */
  async control(worker: number, action: string): Promise<void> {
    const port = await this.metric(`fake_control_port{worker="${worker}"}`);
    // A crash cuts the connection before it answers.
    await fetch(`http://127.0.0.1:${port}${action}`).catch(() => undefined);
  }

  /** Sends SIGTERM. */
  terminate(): Promise<Ended> {
    this.kill('SIGTERM');
    return this.ended;
  }

  /** Ends everything, however the test went. */
  async dispose(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended;
  }
}

function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

/** A service that is quick, on ports of its own, with no store that others reach. */
const QUICK = {
  data_dir: 'data',
  restart_backoff_ms_min: 1,
  probe_interval_ms: 100,
  s3_listen: '127.0.0.1:0',
  admin_listen: '127.0.0.1:0',
  store_listen: '',
};

/** Runs of the program in one folder, all of which end with the test. */
export class Runs {
  readonly #all: Supervised[] = [];

  constructor(readonly folder: string) {}

  /** Writes the configuration file: of a quick service, with further keys. */
  configure(config: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return writeFile(join(this.folder, 'ringway.json'), JSON.stringify({ ...QUICK, ...config }));
  }

  /** A command with that file. */
  run(args: readonly string[], options: SupervisedOptions = {}): Supervised {
    return this.runBare([...args, '--config', 'ringway.json'], options);
  }

  /** A command without a configuration file, unless the arguments name one. */
  runBare(args: readonly string[], options: SupervisedOptions = {}): Supervised {
    const run = new Supervised(args, { cwd: this.folder, ...options });
    this.#all.push(run);
    return run;
  }

  /** `start` with that file, written before. */
  async start(
    config: Readonly<Record<string, unknown>> = {},
    options: SupervisedOptions = {},
  ): Promise<Supervised> {
    await this.configure(config);
    return this.run(['start'], options);
  }

  async end(): Promise<void> {
    for (const run of this.#all) await run.dispose();
  }
}

export function useRuns(label: string): Fixture<Runs> {
  const folder = useTempFolder(label);
  return useEach(() => new Runs(folder()), 'end');
}
