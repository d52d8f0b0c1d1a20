import { once } from 'node:events';
import { connect } from 'node:net';
import type { NodeTarget } from './driver.js';
import {
  HostDriver,
  PYTHON_PROGRAM,
  type FailedCall,
  type HostCall,
  type HostOptions,
} from './host.js';

export interface SshOptions extends HostOptions {
  readonly user: string;
  readonly port: number;
  readonly keyFile: string;
  readonly knownHostsFile: string;
  /** Which of a node's addresses is called. */
  readonly address: 'storage_ip' | 'replication_ip' | 'public_ip';
  readonly sudo: boolean;
  /** The program; another one in tests. */
  readonly program?: string;
}

/** The only commands that a node's shell ever sees. */
const COMMAND = `exec python3 -c '${PYTHON_PROGRAM}'`;
const SUDO_COMMAND = COMMAND.replace('exec python3', 'exec sudo -n python3');

const CONNECT_TIMEOUT_S = 20;
const CONNECT_TRIES = 2;
const REACH_TIMEOUT_MS = 5000;
/** The exit code of ssh when there was no connection, or it broke. */
const NO_CONNECTION = 255;
const PATH = '/usr/bin:/bin:/usr/local/bin';

/** Installs on hosts by OpenSSH. Of each call all arguments are fixed but user, port and address. */
export class SshDriver extends HostDriver {
  constructor(private readonly options: SshOptions) {
    super(options);
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

  protected callOf(node: NodeTarget): HostCall {
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
    const args = [
      ...['-F', 'none', '-T'],
      ...settings.flatMap((setting) => ['-o', setting]),
      ...['-l', user, '-p', String(port), '--', node[address] ?? node.storage_ip],
      sudo ? SUDO_COMMAND : COMMAND,
    ];
    return { program: this.options.program ?? 'ssh', args, path: PATH };
  }

  protected failureOf({ code }: FailedCall, said: string): string {
    const what = code === NO_CONNECTION ? 'ssh' : `the node (exit code ${String(code)})`;
    return `${what}: ${said}`;
  }
}
