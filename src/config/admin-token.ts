import type { FilledOptions, ListenAddress } from './options.js';
import { readSecretFile } from './secret-file.js';

/** The token that the admin port asks for; undefined when it asks for none. @throws ConfigError */
export function readAdminToken({
  adminTokenFile: file,
}: Pick<FilledOptions, 'adminTokenFile'>): string | undefined {
  return file === '' ? undefined : readSecretFile('admin_token_file', file);
}

/** Whether only this machine reaches the address. A name may be anything, but for one. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
