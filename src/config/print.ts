import { createHash } from 'node:crypto';
import { formatAddress, type FilledOptions, type ListenAddress } from './options.js';
import { isSecretName, MASK } from './problem.js';

/**
 * The effective configuration as a file would say it: every key, with secrets masked. It can be
 * used as a configuration file.
 */
export function renderConfig(options: FilledOptions): string {
  const entries = Object.entries(options).map(([name, value]) => {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [key, isSecretName(key) ? MASK : toFileValue(value)];
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** Tells whether two processes run with the same configuration; 16 hex digits. */
export function configHash(options: FilledOptions): string {
  return createHash('sha256').update(renderConfig(options)).digest('hex').slice(0, 16);
}

function toFileValue(value: unknown): unknown {
  return isAddress(value) ? formatAddress(value) : value;
}

function isAddress(value: unknown): value is ListenAddress {
  return typeof value === 'object' && value !== null && 'host' in value && 'port' in value;
}
