import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Driver, Installation, InstallFile, NodeTarget } from './driver.js';
import { REMOTE_SCRIPT } from './remote-script.js';

export interface SshOptions {
  /** On the nodes: what their files lie below. */
  readonly rootOf: (node: string) => string;
  readonly user: string;
  readonly port: number;
  readonly keyFile: string;
  readonly knownHostsFile: string;
  /** Which of a node's addresses is called. */
  readonly address: 'storage_ip' | 'replication_ip' | 'public_ip';
  readonly sudo: boolean;
  /** The group of files below `etc/swift`; empty: that of who logs in. */
  readonly swiftGroup: string;
  /** The owner of files below `etc/ringway`; empty: who logs in. */
  readonly gatewayUser: string;
  /** Whether services are reloaded with systemd, or by the operator. */
  readonly reloads: boolean;
  /** The program; another one in tests. */
  readonly program?: string;
}

/** By name; what is not there stays as it is. */
interface FileOwner {
  readonly user?: string;
  readonly group?: string;
}

/**
 * The only commands that a node's shell ever sees. Python reads the length of a program from its
 * first line, and then the program; all else is that program's input.
 */
const COMMAND =
  "exec python3 -c 'import sys; s = sys.stdin.buffer; exec(s.read(int(s.readline())).decode())'";
const SUDO_COMMAND = COMMAND.replace('exec python3', 'exec sudo -n python3');
const SCRIPT = Buffer.from(REMOTE_SCRIPT);

const CONNECT_TIMEOUT_S = 20;
const CONNECT_TRIES = 2;
const REACH_TIMEOUT_MS = 5000;
const CALL_TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const MESSAGE_LENGTH_MAX = 500;
/** The exit code of ssh when there was no connection, or it broke. */
const NO_CONNECTION = 255;
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/local/bin', LANG: 'C.UTF-8' };

/** What execFile says of a call that failed. */
interface Failed {
  readonly code?: number | string;
  readonly killed?: boolean;
  readonly stderr?: string;
}

type FoundFile = readonly [sha256: string, mode: number | null, isOwned: boolean];
type Found = Readonly<Record<string, FoundFile | null>>;

/** Installs on hosts by OpenSSH. Of each call all arguments are fixed but user, port and address. */
export class SshDriver implements Driver {
  /** Whether {@link reload} is called. */
  readonly reloads: boolean;

  constructor(private readonly options: SshOptions) {
    this.reloads = options.reloads;
  }

  async install({ run, node, files, deleted }: Installation): Promise<number> {
    const root = this.options.rootOf(node.name);
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
    };
    const contents = changed.map((file) => file.content);
    const answer = await this.#call<{ readonly changed: number }>(node, request, contents);
    return answer.changed;
  }

  async hashes(node: NodeTarget, paths: readonly string[]): Promise<Map<string, string | null>> {
    const found = await this.#look(node, this.options.rootOf(node.name), paths);
    return new Map(paths.map((name) => [name, found[name]?.[0] ?? null]));
  }

  /** Whether something listens where `sshd` should. */
  async reach(node: NodeTarget): Promise<void> {
    const host = node[this.options.address] ?? node.storage_ip;
    const socket = connect({ host, port: this.options.port, timeout: REACH_TIMEOUT_MS });
    socket.once('timeout', () => socket.destroy(new Error(`${host} does not answer`)));
    try {
      await once(socket, 'connect');
    } finally {
      socket.destroy();
    }
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
    const { swiftGroup, gatewayUser } = this.options;
    if (path.startsWith('etc/swift/') && swiftGroup !== '') return { group: swiftGroup };
    if (path.startsWith('etc/ringway/') && gatewayUser !== '') return { user: gatewayUser };
    return {};
  }

  async #call<T>(node: NodeTarget, request: object, contents: readonly Buffer[] = []): Promise<T> {
    const calling = promisify(execFile)(this.options.program ?? 'ssh', this.#args(node), {
      timeout: CALL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_BYTES_MAX,
      env: ENVIRONMENT,
    });
    const { stdin } = calling.child;
    const input = [`${SCRIPT.length}\n`, SCRIPT, `${JSON.stringify(request)}\n`, ...contents];
    // Why it was not taken is in what the call says.
    const sent = stdin && pipeline(Readable.from(input), stdin).catch(() => undefined);
    const [{ stdout }] = await Promise.all([calling.catch(refuse), sent]);
    const answer = JSON.parse(stdout) as T & { readonly error?: string };
    if (answer.error !== undefined) throw new Error(plain(answer.error));
    return answer;
  }

  #args(node: NodeTarget): string[] {
    const { user, port, keyFile, knownHostsFile, address, sudo } = this.options;
    const settings = [
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      'UpdateHostKeys=no',
      // Quotes keep blanks; the configuration refuses what ssh would replace in a path.
      `UserKnownHostsFile="${knownHostsFile}"`,
      'GlobalKnownHostsFile=/dev/null',
      `IdentityFile="${keyFile}"`,
      'IdentitiesOnly=yes',
      'PreferredAuthentications=publickey',
      'ClearAllForwardings=yes',
      'ControlPath=none',
      `ConnectTimeout=${CONNECT_TIMEOUT_S}`,
      `ConnectionAttempts=${CONNECT_TRIES}`,
      'ServerAliveInterval=10',
      'ServerAliveCountMax=3',
      'LogLevel=ERROR',
    ];
    return [
      ...['-F', 'none', '-T'],
      ...settings.flatMap((setting) => ['-o', setting]),
      ...['-l', user, '-p', String(port), '--', node[address] ?? node.storage_ip],
      sudo ? SUDO_COMMAND : COMMAND,
    ];
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

function refuse(error: unknown): never {
  const { code, killed, stderr = '' } = error as Failed;
  const said = plain(stderr);
  if (killed === true) throw new Error(`ssh took more than ${CALL_TIMEOUT_MS / 1000} s`);
  if (code === 'ENOENT') throw new Error('ssh is not installed here');
  const what = code === NO_CONNECTION ? 'ssh' : `the node (exit code ${String(code)})`;
  throw new Error(`${what}: ${said}`, { cause: error });
}

/** What a node says, for journals and pages: the end of it, without control characters. */
function plain(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(-MESSAGE_LENGTH_MAX);
}
