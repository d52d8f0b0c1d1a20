import { spawn } from 'node:child_process';

/** Runs a fixed script for a POSIX shell on the host of a node. */
export type Shell = (
  host: string,
  script: string,
  args: readonly string[],
  input?: string,
) => Promise<ShellResult>;

export interface ShellResult {
  /** Undefined where it was cut: by its time, or by the size of what it wrote. */
  readonly status: number | undefined;
  readonly stdout: string;
}

export interface ShellOptions {
  /** The program that reaches other hosts; undefined: they are this one. */
  readonly ssh?: string | undefined;
  readonly outputBytesMax: number;
  readonly timeoutMs?: number;
}

/** A proxy that tests its configuration takes seconds; nothing takes minutes. */
const TIMEOUT_MS = 60_000;
/** The environment of what runs on a node: no secret of this process, and no path of its user. */
export const NODE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};
const SSH_OPTIONS = [
  ...['-o', 'BatchMode=yes'],
  ...['-o', 'ConnectTimeout=5'],
  ...['-o', 'StrictHostKeyChecking=yes'],
];

/** A shell here, or by ssh there: where it logs in as whom is the business of ssh's own files. */
export function makeShell({ ssh, outputBytesMax, timeoutMs = TIMEOUT_MS }: ShellOptions): Shell {
  return (host, script, args, input = '') => {
    const local = ['-c', script, 'ringway', ...args];
    const remote = ['sh', ...local].map(quote).join(' ');
    const [program, argv] =
      ssh === undefined ? ['/bin/sh', local] : [ssh, [...SSH_OPTIONS, '--', host, remote]];
    return run(program, argv, input, { outputBytesMax, timeoutMs });
  };
}

/** Quotes a text as one word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function run(
  program: string,
  argv: readonly string[],
  input: string,
  { outputBytesMax, timeoutMs }: Required<Omit<ShellOptions, 'ssh'>>,
): Promise<ShellResult> {
  return new Promise((resolve) => {
    // A group of its own, so that what it has started ends with it.
    const child = spawn(program, argv, {
      detached: true,
      env: NODE_ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let wasCut = false;
    const cut = () => {
      wasCut = true;
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(cut, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputBytesMax) cut();
      else chunks.push(chunk);
    });
    // The program may end without having read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', () => {
      clearTimeout(timer);
      resolve({ status: undefined, stdout: '' });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const status = wasCut ? undefined : (code ?? undefined);
      resolve({ status, stdout: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
