import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The program of the service, of the same build. */
export const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

/** @returns the port of a control service that was started with its output in a pipe */
export async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    return Number(/^deploy: listening on port (\d+)$/.exec(line)?.[1]);
  }
  throw new Error('it ended before it listened');
}

/** A stand-in for systemd: writes down how it was called; a service is active unless a file says no. */
const SYSTEMCTL = `#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >> calls
if [ "$1" = is-active ] && [ -e "down-$2" ]; then echo inactive; exit 3; fi
`;

/** Puts a stand-in for `systemctl` into a folder; it writes to `calls` there. */
export async function fakeSystemctl(folder: string): Promise<void> {
  await writeFile(join(folder, 'systemctl'), SYSTEMCTL, { mode: 0o755 });
}
