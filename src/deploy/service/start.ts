import { once } from 'node:events';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { ExclusiveAudit } from '../../lib/audit/exclusive-audit.js';
import { createLogger, type Logger } from '../../telemetry/logger.js';
import { LocalDriver } from '../drivers/local.js';
import { SshDriver } from '../drivers/ssh.js';
import type { Driver } from '../drivers/driver.js';
import { checkPrograms } from '../render/check-programs.js';
import { askRecon, type AskRecon } from '../ramp/recon.js';
import { layout } from '../state/layout.js';
import { buildApp } from './app.js';
import type { DeployOptions } from './config.js';
import { Control } from './control.js';

export interface RunningDeploy {
  readonly port: number;
  /** Lets the step of a run that is under way end, and closes everything. */
  close(): Promise<void>;
}

export interface DeployParts {
  readonly now?: () => number;
  readonly logger?: Logger;
  readonly driver?: Driver;
  readonly check?: typeof checkPrograms;
  readonly ask?: AskRecon;
  readonly rampPollMs?: number;
  readonly dispersionProgram?: string;
}

/** Another service works with the state directory. */
export class StateLockedError extends Error {
  override readonly name = 'StateLockedError';
}

/**
 * Starts the control service.
 *
 * @throws StateLockedError, system errors
 */
export async function startDeploy(
  options: DeployOptions,
  parts: DeployParts = {},
): Promise<RunningDeploy> {
  const { now = Date.now, logger = defaultLogger(), driver, check = checkPrograms } = parts;
  const lock = await lockState(options.stateDir);
  const closing: (() => Promise<unknown>)[] = [() => lock.close()];
  const close = async (): Promise<void> => {
    for (const step of closing.reverse()) await step();
  };
  try {
    const { audit: auditDir } = layout(options.stateDir);
    const audit = await ExclusiveAudit.open(auditDir, { now }, () => undefined);
    closing.push(() => audit.close());
    const control = await Control.open({
      options,
      driver: driver ?? driverOf(options),
      audit,
      now,
      check,
      ask: parts.ask ?? askRecon,
      rampPollMs: parts.rampPollMs,
      dispersionProgram: parts.dispersionProgram,
      onAuditLost: (error) => {
        logger.error({ err: error }, 'audit record lost');
      },
    });
    closing.push(() => control.close());
    const app = await buildApp(control, options, logger);
    closing.push(() => app.close());
    await app.ready();
    app.server.listen({ ...options.listen, exclusive: true });
    await once(app.server, 'listening');
    return { port: (app.server.address() as AddressInfo).port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The driver of a configuration. */
export function driverOf(options: DeployOptions): Driver {
  const { installRoot, filesFor } = options;
  if (options.driver === 'local') return new LocalDriver(installRoot);
  return new SshDriver({
    rootOf: (node) => (filesFor === 'folder' ? path.posix.join(installRoot, node) : installRoot),
    user: options.sshUser,
    port: options.sshPort,
    keyFile: options.sshKeyFile,
    knownHostsFile: options.sshKnownHostsFile,
    address: options.sshAddress,
    sudo: options.sshSudo,
    swiftGroup: options.swiftGroup,
    gatewayUser: options.gatewayUser,
    reloads: options.sshReload === 'systemd',
  });
}

/** Two services would break each other's journals. The kernel lets go of it with the process. */
async function lockState(stateDir: string): Promise<FileHandle> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const lock = await open(layout(stateDir).lock, 'a+', 0o600);
  if (tryLock(lock.fd)) return lock;
  await lock.close();
  throw new StateLockedError(`${stateDir} is in use by another control service`);
}

function defaultLogger(): Logger {
  return createLogger({ level: 'info', process: 'deploy' });
}
