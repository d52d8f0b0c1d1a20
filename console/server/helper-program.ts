import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ApiError } from './api-error.js';

/**
 * The environment of helper programs. Those of Swift are Python, those of this project need Node;
 * nothing else of the console's own environment is for them.
 */
export const HELPER_ENVIRONMENT = {
  PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${path.dirname(process.execPath)}`,
  LANG: 'C.UTF-8',
  PYTHONNOUSERSITE: '1',
} as const;

/**
 * Whether a program of the configuration may run. Only root or the console's own user may have
 * written it: it runs with the console's rights.
 * @throws ApiError unsupported_here
 */
export async function checkProgram(program: string): Promise<void> {
  const refuse = (why: string): never => {
    throw new ApiError('unsupported_here', why);
  };
  try {
    const { uid, mode } = await stat(program);
    if (uid !== 0 && uid !== process.getuid?.())
      refuse('The helper program is owned by another user.');
    if ((mode & 0o002) !== 0) refuse('The helper program is world-writable.');
    await access(program, constants.X_OK);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    refuse('The helper program does not exist or is not executable.');
  }
}
