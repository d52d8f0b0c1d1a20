import { fstatSync } from 'node:fs';
import type { Certificates } from '../src/config/certificates.js';
import { type Credentials, ensureRoster } from '../src/config/roster-source.js';
import { ConfigError } from '../src/config/problem.js';
import type { FilledOptions } from '../src/config/options.js';
import { createLogger, type Logger } from '../src/telemetry/logger.js';
import type { LoginOffer } from '../src/processes/protocol.js';
import { claimAddresses } from './claim-addresses.js';
import { forJournal, isJournal } from './banner-credential.js';
import { renderBanner, renderShortBanner } from './banner.js';
import type { ConsoleState } from './banner-console.js';
import { Commands } from './commands.js';
import { ControlServer } from './control-server.js';
import { NO_CREDENTIAL, type ChildProgram } from './child.js';
import { directoryFailure, prepareDataDirectory } from './data-directory.js';
import { Failure, type ExitReason } from './exit-codes.js';
import type { ChildKind } from './kinds.js';
import { processLog } from './log-tail.js';
import { lockDataDirectory, type DataLock } from './lock.js';
import { refuseOtherDataDir, type Running } from './reload.js';
import { offerLogin } from './first-login.js';
import { ReopenSignal } from './reopen-signal.js';
import { Service, type Start } from './service.js';
import { checkRings, type Settings } from './settings.js';
import { StopSignals } from './stop-signals.js';
import type { RecoverStore } from './store.js';
import { warn } from './warn.js';
import { readVersion } from './version.js';

export interface Program {
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
  /** None where there is no need of any. */
  readonly nodeFlags?: readonly string[];
}

/** The parts that are started; tests put others in their place. */
export interface StartDeps {
  readonly programs: Readonly<Record<ChildKind, Program>>;
  readonly recoverStore: RecoverStore;
}

/**
 * Serves until a signal or a failure, in this order: what can be refused without a trace first,
 * then the lock, then what writes.
 * @param read - configuration and credentials; called again for each reload
 * @returns why it ended
 * @throws Failure
 */
export async function start(read: () => Settings, deps: StartDeps): Promise<ExitReason> {
  const { options, certificates, warnings, ...console } = read();
  await checkRings(options);
  const log = createLogger({
    level: options.logLevel,
    process: 'supervisor',
    also: (line) => {
      processLog.add(line, 'supervisor');
    },
  });
  const signals = new StopSignals();
  const reopen = new ReopenSignal();
  const roomProblem = prepareDataDirectory(options.dataDir);
  if (roomProblem !== undefined) warn(roomProblem);
  const lock = await takeLock(options.dataDir);
  try {
    const credentials = takeCredentials(options);
    for (const line of [...warnings, ...credentials.warnings]) warn(line);
    const { consoleProblem, ...addresses } = await claimAddresses(options);
    await deps.recoverStore(options);
    if (signals.stopping) return 'ok';
    const running = { asked: options, options: { ...options, ...addresses } };
    const held = { lock, log, signals, reopen, read, certificates, ...console, consoleProblem };
    return await serve(running, credentials, deps, held);
  } finally {
    lock.release();
  }
}

interface Held {
  readonly lock: DataLock;
  readonly log: Logger;
  readonly signals: StopSignals;
  readonly reopen: ReopenSignal;
  readonly read: () => Settings;
  readonly certificates: Certificates;
  readonly consoleConfig: Start['consoleConfig'];
  readonly deploy: Start['deploy'];
  /** Why there is no console. */
  readonly consoleAbsent: string | undefined;
  /** Why it cannot be reached yet. */
  readonly consoleProblem: string | undefined;
}

async function serve(
  running: Running,
  credentials: Credentials,
  deps: StartDeps,
  { lock, log, signals, reopen, read, ...held }: Held,
): Promise<ExitReason> {
  const version = readVersion();
  const toStart = (name: ChildKind, options: FilledOptions): ChildProgram => ({
    name,
    entry: deps.programs[name].entry,
    // The credential crosses over IPC; nothing of it belongs into an environment.
    environment: { ...deps.programs[name].environment, ...NO_CREDENTIAL },
    nodeFlags: deps.programs[name].nodeFlags ?? [],
    lockFd: lock.fd,
    startTimeoutMs: options.listenerStartTimeoutMs,
  });
  const service = new Service({
    ...running,
    credentials: credentials.roster,
    certificates: held.certificates,
    consoleConfig: held.consoleConfig,
    deploy: held.deploy,
    version,
    log,
    recoverStore: deps.recoverStore,
    readAgain: () => readAgain(read, running.options.dataDir, log),
    programs: (options) => ({
      listener: toStart('listener', options),
      janitor: toStart('janitor', options),
      store: toStart('store', options),
      console: toStart('console', options),
      deploy: toStart('deploy', options),
    }),
  });
  reopen.onSignal = () => {
    service.reopenLogs();
    log.info('logs opened anew');
  };
  signals.onReload = () => {
    // A failure is in the log.
    service.reload().catch(() => undefined);
  };
  const commands = new Commands(service, signals);
  const control = new ControlServer((command) => commands.run(command), log);
  try {
    await control.listen(running.options.dataDir);
    const started = service.start().then((options) => {
      const offer = offerTo(service, options, credentials, held);
      const render = process.stdout.isTTY ? renderShortBanner : renderBanner;
      const shown = { ...held, loginToken: offer?.token };
      const isKept = isJournal(process.env.JOURNAL_STREAM, fstatSync(process.stdout.fd));
      const told = isKept ? forJournal(credentials) : credentials;
      process.stdout.write(render(version.version, options, told, shown));
      log.info({ ...version, listeners: options.listeners }, 'service ready');
      return signals.first;
    });
    const end = await Promise.race([started, signals.first, service.failed]);
    log.info({ reason: end instanceof Failure ? end.message : end }, 'draining');
    // The drain also follows a failure: healthy listeners may finish their requests.
    const drained = await service.drain(signals.second);
    log.info({ drained }, 'service ended');
    if (end instanceof Failure) throw end;
    commands.ended(drained);
    return drained ? 'ok' : 'drainTimeout';
  } finally {
    await service.close();
    await control.close();
  }
}

/** @throws Failure, also for credentials that a start would make: a service that runs has some */
function readAgain(read: () => Settings, dataDir: string, log: Logger): Start {
  const { options, credentials, certificates, warnings, ...console } = read();
  refuseOtherDataDir(options, dataDir);
  if (console.consoleAbsent !== undefined) log.info({ why: console.consoleAbsent }, 'no console');
  if (credentials === undefined || credentials.origin === 'environment') {
    const file = options.credentialsFile;
    throw new Failure('config', `${file}: expected a file with credentials, as at the start`);
  }
  for (const warning of [...warnings, ...credentials.warnings]) log.warn(warning);
  const { consoleConfig, deploy } = console;
  return { asked: options, credentials: credentials.roster, certificates, consoleConfig, deploy };
}

async function takeLock(dataDir: string): Promise<DataLock> {
  try {
    return await lockDataDirectory(dataDir);
  } catch (error) {
    throw directoryFailure(dataDir, error);
  }
}

/** Again, under the lock: another start may have made the first credential meanwhile. */
function takeCredentials(options: FilledOptions): Credentials {
  try {
    return ensureRoster(options, process.env);
  } catch (error) {
    throw error instanceof ConfigError
      ? new Failure('config', error.message)
      : directoryFailure(options.dataDir, error);
  }
}

/** A link for the terminal. None goes to a file or a journal, which others may read. */
function offerTo(
  service: Service,
  options: FilledOptions,
  { roster }: Credentials,
  { consoleConfig, consoleAbsent, consoleProblem }: ConsoleState,
): LoginOffer | undefined {
  if (!process.stdout.isTTY || (consoleAbsent ?? consoleProblem) !== undefined) return undefined;
  const offer = offerLogin(options, roster, consoleConfig, Date.now());
  if (offer !== undefined) service.console?.offerLogin(offer);
  return offer;
}
