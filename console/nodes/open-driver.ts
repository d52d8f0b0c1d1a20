import type { ConsoleOptions } from '../config/load.js';
import type { NodeDriver } from './driver.js';
import { LocalProcs } from './local-procs.js';
import { SWIFT_INIT_SCRIPTS, UNIT_SCRIPTS } from './service-scripts.js';
import { ShellDriver } from './shell-driver.js';
import { makeShell } from './shell.js';

const OUTPUT_BYTES_MAX = 64 * 1024;

/**
 * The driver of the configuration.
 * @param ssh the program that reaches other hosts
 * @returns undefined for `none`
 */
export function openDriver(
  nodeDriver: ConsoleOptions['nodeDriver'],
  ssh = 'ssh',
): NodeDriver | undefined {
  if (nodeDriver === 'none') return undefined;
  if (nodeDriver === 'local-procs') return new LocalProcs();
  const shell = makeShell({
    ssh: nodeDriver === 'ssh' ? ssh : undefined,
    outputBytesMax: OUTPUT_BYTES_MAX,
  });
  return new ShellDriver(shell, nodeDriver === 'swift-init' ? SWIFT_INIT_SCRIPTS : UNIT_SCRIPTS);
}
