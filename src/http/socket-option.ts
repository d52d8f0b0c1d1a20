import { spawn } from 'node:child_process';

/**
 * Options of a listen socket that neither Node nor the library can set. They belong to the socket,
 * not to the process, so a child process gets the socket for the time of one system call, as in
 * receive-buffer.ts. `perl-base` has that call, is essential on Debian, and starts in 3 ms.
 */

const SOL_SOCKET = 1;

/** Linux, x64 and arm64 (asm-generic/socket.h). */
const OPTIONS = {
  /** Other sockets may listen on the same address, and take part in what arrives there. */
  reusePort: 15,
  /** Connections that arrive by this interface only; any number is taken, there or not. */
  bindToInterface: 62,
} as const;

/** Descriptor 3 is the socket; option and value are the arguments. */
const PROGRAM = `
open(my $socket, '+<&=', 3) or exit 2;
setsockopt($socket, ${SOL_SOCKET}, $ARGV[0], pack('i', $ARGV[1])) or exit 1;
`;

/** @returns false when it could not be set: there is no perl, or the kernel refuses */
export function setSocketOption(
  descriptor: number,
  option: keyof typeof OPTIONS,
  value: number,
): Promise<boolean> {
  const child = spawn('perl', ['-e', PROGRAM, String(OPTIONS[option]), String(value)], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    env: { PATH: process.env.PATH },
  });
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve(false);
    });
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}
