import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { findProgram, mustRun } from './programs.js';

/**
 * OpenSSH's own server, as an ordinary process of this user: with a host key of its own, on an
 * unprivileged port of all loopback addresses, for one key of a client.
 */
export class Sshd {
  #said = '';

  private constructor(
    readonly port: number,
    /** Private key of the client. */
    readonly keyFile: string,
    readonly knownHostsFile: string,
    readonly user: string,
    private readonly process: ChildProcess,
  ) {
    process.stderr?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  /** @param programs - a folder that comes first on the PATH of sessions */
  static async start(folder: string, programs: string): Promise<Sshd> {
    const at = (name: string): string => join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const keygen = (name: string) =>
      mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
    await keygen('host-key');
    await keygen('client-key');
    const port = await freePort();
    const hostKey = (await readFile(at('host-key.pub'), 'utf8')).split(' ').slice(0, 2).join(' ');
    await writeFile(at('known-hosts'), `[127.*]:${port} ${hostKey}\n`);
    // Run by root, it wants a folder that a booted system has.
    if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
    const config = [
      `Port ${port}`,
      'ListenAddress 0.0.0.0',
      `HostKey "${at('host-key')}"`,
      `AuthorizedKeysFile "${at('client-key.pub')}"`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 100',
      // Sessions read no start files of the user who runs the tests.
      `SetEnv PATH=${programs}:/usr/local/bin:/usr/bin:/bin HOME=${programs}`,
    ];
    await writeFile(at('config'), `${config.join('\n')}\n`);
    const program = findProgram('sshd') ?? 'sshd';
    const child = spawn(program, ['-D', '-e', '-f', at('config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const sshd = new Sshd(port, at('client-key'), at('known-hosts'), userInfo().username, child);
    try {
      await eventually(() => sshd.#answers(), Boolean);
    } catch (error) {
      await sshd.stop();
      throw new Error(`sshd does not answer: ${sshd.#said}`, { cause: error });
    }
    return sshd;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'close');
  }

  async #answers(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'data');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
}
