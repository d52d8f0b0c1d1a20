import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ExclusiveAudit } from '../../lib/audit/exclusive-audit.js';
import { createLogger, type Logger } from '../../telemetry/logger.js';
import { LocalDriver } from '../drivers/local.js';
import { SshDriver } from '../drivers/ssh.js';
import { ThisHostDriver } from '../drivers/this-host.js';
import type { Driver } from '../drivers/driver.js';
import { checkPrograms } from '../render/check-programs.js';
import { askRecon } from '../ramp/recon.js';
import { isImportUnfinished } from '../state/import.js';
import { layout } from '../state/layout.js';
import { lockState } from '../state/lock.js';
import { buildApp } from './app.js';
import type { DeployOptions } from './config.js';
import { Control, type ControlOptions } from './control.js';

export interface RunningDeploy {
  readonly port: number;
  /** Lets the step of a run that is under way end, and closes everything. */
  close(): Promise<void>;
}

/** Others in tests. */
export interface DeployParts extends Partial<
  Omit<ControlOptions, 'options' | 'audit' | 'onAuditLost'>
> {
  readonly logger?: Logger;
}

/** An import into the state directory was cut off. */
export class StateUnfinishedError extends Error {
  override readonly name = 'StateUnfinishedError';
}

/**
 * Starts the control service.
 *
 * @throws StateLockedError, StateUnfinishedError, system errors
 */
export async function startDeploy(
  options: DeployOptions,
  parts: DeployParts = {},
): Promise<RunningDeploy> {
  const { now = Date.now, logger = defaultLogger(), ...others } = parts;
  const lock = await lockState(options.stateDir);
  const closing: (() => Promise<unknown>)[] = [() => lock.close()];
  const close = async (): Promise<void> => {
    for (const step of closing.reverse()) await step();
  };
  try {
    if (await isImportUnfinished(options.stateDir)) {
      throw new StateUnfinishedError(
        `${options.stateDir} has a part of an import that was cut off: run it with --import again`,
      );
    }
    const { audit: auditDir } = layout(options.stateDir);
    const audit = await ExclusiveAudit.open(auditDir, { now }, () => undefined);
    closing.push(() => audit.close());
    const control = await Control.open({
      driver: driverOf(options),
      check: checkPrograms,
      ask: askRecon,
      ...others,
      options,
      audit,
      now,
      onAuditLost: (error) => {
        logger.error({ err: error }, 'audit record lost');
      },
    });
    closing.push(() => control.close());
    const app = buildApp(control, options, logger);
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
  const { installRoot, filesFor, thisNode, swiftGroup, gatewayUser } = options;
  if (options.driver === 'local') {
    const folders = new LocalDriver(installRoot);
    const host = { rootOf: () => '/', swiftGroup, gatewayUser };
    const reloads = options.localReload === 'systemd';
    return thisNode === '' ? folders : new ThisHostDriver(thisNode, { ...host, reloads }, folders);
  }
  return new SshDriver({
    rootOf: (node) => (filesFor === 'folder' ? path.posix.join(installRoot, node) : installRoot),
    user: options.sshUser,
    port: options.sshPort,
    keyFile: options.sshKeyFile,
    knownHostsFile: options.sshKnownHostsFile,
    address: options.sshAddress,
    sudo: options.sshSudo,
    swiftGroup,
    gatewayUser,
    reloads: options.sshReload === 'systemd',
  });
}

function defaultLogger(): Logger {
  return createLogger({ level: 'info', process: 'deploy' });
}
