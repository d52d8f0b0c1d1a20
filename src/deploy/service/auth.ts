import { createHash, timingSafeEqual } from 'node:crypto';
import { readSecretFile } from '../../config/secret-file.js';
import { DeployError } from './errors.js';

/**
 * Checks `Authorization: Basic` in a time that does not depend on what is wrong. The password's file
 * is read each time: a change is in force at once.
 *
 * @throws DeployError `unauthenticated`; `internal` when the file cannot be used
 */
export function authenticate(header: string | undefined, user: string, tokenFile: string): void {
  let token: string;
  try {
    token = readSecretFile('token_file', tokenFile);
  } catch {
    throw new DeployError('internal', 'The file with the password cannot be used.');
  }
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? '') ?? [];
  const given = Buffer.from(encoded, 'base64');
  // Digests have one length, whatever was given.
  const isRight = timingSafeEqual(digest(given), digest(Buffer.from(`${user}:${token}`)));
  if (!isRight) throw new DeployError('unauthenticated', 'User or password is wrong.');
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
