import { ensureCredentials, type Credentials } from '../src/config/credentials-file.js';
import { ConfigError } from '../src/config/problem.js';
import type { FilledOptions } from '../src/config/options.js';
import { createLogger, type Logger } from '../src/telemetry/logger.js';
import { claimAddress } from './addresses.js';
import { renderBanner } from './banner.js';
import { NO_CREDENTIAL, type ChildProgram } from './child.js';
import { directoryFailure, prepareDataDirectory } from './data-directory.js';
import { Failure, type ExitReason } from './exit-codes.js';
import type { ChildKind } from './kinds.js';
import { lockDataDirectory, type DataLock } from './lock.js';
import { Service } from './service.js';
import type { Settings } from './settings.js';
import { StopSignals } from './stop-signals.js';
import type { RecoverStore } from './store.js';
import { warn } from './warn.js';
import { readVersion } from './version.js';

export interface Program {
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What is started; tests put something else in its place. */
export interface Parts {
  readonly programs: Readonly<Record<ChildKind, Program>>;
  readonly recoverStore: RecoverStore;
}

/**
 * Serves until a signal or a failure, in this order: what can be refused without a trace first,
 * then the lock, then what writes.
 * @returns why it ended
 * @throws Failure
 */
export async function start({ options, warnings }: Settings, parts: Parts): Promise<ExitReason> {
  const log = createLogger({ level: options.logLevel, process: 'supervisor' });
  const signals = new StopSignals(log);
  prepareDataDirectory(options.dataDir);
  const lock = await takeLock(options.dataDir);
  try {
    const credentials = takeCredentials(options);
    for (const line of [...warnings, ...credentials.warnings]) warn(line);
    const s3Listen = await claimAddress('s3_listen', options.s3Listen);
    await parts.recoverStore(options);
    if (signals.stopping) return 'ok';
    return await serve({ ...options, s3Listen }, credentials, parts, { lock, log, signals });
  } finally {
    lock.release();
  }
}

interface Held {
  readonly lock: DataLock;
  readonly log: Logger;
  readonly signals: StopSignals;
}

async function serve(
  options: FilledOptions,
  credentials: Credentials,
  parts: Parts,
  { lock, log, signals }: Held,
): Promise<ExitReason> {
  const version = readVersion();
  const toStart = ({ entry, environment }: Program): ChildProgram => ({
    entry,
    // The credential crosses over IPC; nothing of it belongs into an environment.
    environment: { ...environment, ...NO_CREDENTIAL },
    lockFd: lock.fd,
    startTimeoutMs: options.listenerStartTimeoutMs,
  });
  const service = new Service({
    options,
    credentials,
    version,
    log,
    recoverStore: () => parts.recoverStore(options),
    programs: {
      listener: toStart(parts.programs.listener),
      janitor: toStart(parts.programs.janitor),
    },
  });
  try {
    const started = service.start().then((running) => {
      process.stdout.write(renderBanner(version.version, running, credentials));
      log.info({ ...version, listeners: options.listeners }, 'service ready');
      return signals.first;
    });
    const end = await Promise.race([started, signals.first, service.failed]);
    log.info({ reason: end instanceof Failure ? end.message : end }, 'draining');
    // Also after a failure: listeners that are well may finish what they have.
    const drained = await service.drain(signals.second);
    log.info({ drained }, 'service ended');
    if (end instanceof Failure) throw end;
    return drained ? 'ok' : 'drainTimeout';
  } finally {
    await service.close();
  }
}

async function takeLock(dataDir: string): Promise<DataLock> {
  try {
    return await lockDataDirectory(dataDir);
  } catch (error) {
    throw directoryFailure(dataDir, error);
  }
}

/** Again, under the lock: another start may have made the first credential meanwhile. */
function takeCredentials({ credentialsFile, dataDir }: FilledOptions): Credentials {
  try {
    return ensureCredentials(credentialsFile, process.env);
  } catch (error) {
    throw error instanceof ConfigError
      ? new Failure('config', error.message)
      : directoryFailure(dataDir, error);
  }
}
