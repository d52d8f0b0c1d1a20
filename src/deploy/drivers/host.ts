import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  changedByOthers,
  type Driver,
  type Installation,
  type InstallFile,
  type NodeTarget,
} from './driver.js';
import { REMOTE_SCRIPT } from './remote-script.js';

/** Options that hosts reached by ssh and this one have in common. */
export interface HostOptions {
  /** On the host: what the files of a node lie below. */
  readonly rootOf: (node: string) => string;
  /** The group of files below `etc/swift`; empty: that of who installs them. */
  readonly swiftGroup: string;
  /** The owner of files below `etc/ringway`; empty: who installs them. */
  readonly gatewayUser: string;
  /** Whether services are reloaded with systemd, or by the operator. */
  readonly reloads: boolean;
}

/** The program that has a host's Python run what it gets as input, with its arguments. */
export interface HostCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly path: string;
}

/**
 * Python reads the length of a program from its first line, and then the program; all else is that
 * program's input: the argument is always the same.
 */
export const PYTHON_PROGRAM =
  'import sys; s = sys.stdin.buffer; exec(s.read(int(s.readline())).decode())';
const SCRIPT = Buffer.from(REMOTE_SCRIPT);

const CALL_TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const MESSAGE_LENGTH_MAX = 500;

/** The fields that execFile's error of a failed call has. */
export interface FailedCall {
  readonly code?: number | string;
  readonly killed?: boolean;
  readonly stderr?: string;
}

/** By name; what is not there stays as it is. */
interface FileOwner {
  readonly user?: string;
  readonly group?: string;
}

type FoundFile = readonly [sha256: string, mode: number | null, isOwned: boolean];
type Found = Readonly<Record<string, FoundFile | null>>;

/** Installs below `/etc` of a host, with the owners that services need, by a program of Python's. */
export abstract class HostDriver implements Driver {
  constructor(private readonly host: HostOptions) {}

  /** How a node's Python is called. */
  protected abstract callOf(node: NodeTarget): HostCall;

  /** The meaning of a failed call, for operators. */
  protected abstract failureOf(failed: FailedCall, said: string): string;

  reloads(): boolean {
    return this.host.reloads;
  }

  async install({ run, node, files, deleted, expected }: Installation): Promise<number> {
    const root = this.host.rootOf(node.name);
    const paths = [...files.map((file) => file.path), ...deleted];
    const owners = Object.fromEntries(files.map(({ path }) => [path, this.#ownerOf(path)]));
    const found = await this.#look(node, root, paths, owners);
    const changed = files.filter((file) => !isInPlace(file, found[file.path]));
    const gone = deleted.filter((name) => found[name] !== null);
    if (changed.length === 0 && gone.length === 0) return 0;
    const request = {
      act: 'install',
      root,
      run,
      files: changed.map((file) => ({
        path: file.path,
        mode: file.mode,
        sha256: file.sha256,
        size: file.content.length,
        owner: owners[file.path],
      })),
      deleted: gone,
      expected,
    };
    const contents = changed.map((file) => file.content);
    const answer = await this.#call<{ readonly changed: number }>(node, request, contents);
    return answer.changed;
  }

  async hashes(node: NodeTarget, paths: readonly string[]): Promise<Map<string, string | null>> {
    const found = await this.#look(node, this.host.rootOf(node.name), paths);
    return new Map(paths.map((name) => [name, found[name]?.[0] ?? null]));
  }

  /** Reloads services, and finds each of them active afterwards. */
  async reload(node: NodeTarget, commands: readonly string[]): Promise<void> {
    const lines = commands.flatMap(systemdCalls);
    await this.#call(node, { act: 'reload', commands: lines });
  }

  async #look(
    node: NodeTarget,
    root: string,
    paths: readonly string[],
    owners: Readonly<Record<string, FileOwner>> = {},
  ): Promise<Found> {
    const request = { act: 'look', root, paths, owners };
    return (await this.#call<{ readonly files: Found }>(node, request)).files;
  }

  /** Services read their files as users of their own. */
  #ownerOf(path: string): FileOwner {
    const { swiftGroup, gatewayUser } = this.host;
    if (path.startsWith('etc/swift/') && swiftGroup !== '') return { group: swiftGroup };
    if (path.startsWith('etc/ringway/') && gatewayUser !== '') return { user: gatewayUser };
    return {};
  }

  async #call<T>(node: NodeTarget, request: object, contents: readonly Buffer[] = []): Promise<T> {
    const { program, args, path } = this.callOf(node);
    const calling = promisify(execFile)(program, [...args], {
      timeout: CALL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_BYTES_MAX,
      env: { PATH: path, LANG: 'C.UTF-8' },
    });
    const { stdin } = calling.child;
    const input = [`${SCRIPT.length}\n`, SCRIPT, `${JSON.stringify(request)}\n`, ...contents];
    // Why it was not taken is in what the call says.
    const sent = stdin && pipeline(Readable.from(input), stdin).catch(() => undefined);
    const [{ stdout }] = await Promise.all([
      calling.catch((error: unknown) => this.#refuse(error as FailedCall, program)),
      sent,
    ]);
    const answer = JSON.parse(stdout) as T & {
      readonly error?: string;
      readonly changed_by_others?: string;
    };
    if (answer.changed_by_others !== undefined) {
      throw new Error(changedByOthers(plain(answer.changed_by_others)));
    }
    if (answer.error !== undefined) throw new Error(plain(answer.error));
    return answer;
  }

  #refuse(failed: FailedCall, program: string): never {
    const { code, killed, stderr = '' } = failed;
    if (killed === true) throw new Error(`${program} took more than ${CALL_TIMEOUT_MS / 1000} s`);
    if (code === 'ENOENT') throw new Error(`${program} is not installed here`);
    throw new Error(this.failureOf(failed, plain(stderr)), { cause: failed });
  }
}

function isInPlace(file: InstallFile, found: Found[string] | undefined): boolean {
  return found?.[0] === file.sha256 && found[1] === file.mode && found[2];
}

/** A line of {@link reloadCommands} as calls, with a look at whether the service runs. */
function systemdCalls(line: string): string[][] {
  const [, verb = '', service = ''] =
    /^systemctl (restart|reload-or-restart) ([a-z][a-z-]{0,63})$/.exec(line) ?? [];
  if (service === '') throw new Error(`not a command that Deploy runs: ${line}`);
  // Debian has a unit for each of Swift's daemons, such as swift-object-replicator.
  const units = service.startsWith('swift-') ? [service, `${service}-*`] : [service];
  return [
    ['systemctl', verb, ...units],
    ['systemctl', 'is-active', service],
  ];
}

/** The output of a node, for journals and pages: the end of it, without control characters. */
function plain(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(-MESSAGE_LENGTH_MAX);
}
