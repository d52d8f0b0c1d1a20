import type { Roster } from '../config/credentials.js';
import { messageOf } from '../lib/error-message.js';
import type { MetricSnapshot } from '../telemetry/collected.js';
import type { SendTraces, TraceOrder } from '../telemetry/request-trace.js';
import type {
  ChildInit,
  FromChild,
  HealthCheck,
  LoginOffer,
  StartFailure,
  ToChild,
} from './protocol.js';

/** The work of a child process, as the supervisor sees it. It does nothing until `begin`. */
export interface ChildService {
  /** Takes up its work: listens. @throws StartError */
  begin?(): Promise<void> | void;
  /**
   * Another process is about to listen in this one's place.
   * @returns false when connections may be lost on the way
   */
  standAside?(): Promise<boolean>;
  /** Serves on: no other process took over. */
  resume?(): Promise<void>;
  /** All metrics now. */
  snapshot(): Promise<MetricSnapshot>;
  /** Looks at what the service depends on; says what is wrong rather than throwing. */
  probe(): Promise<readonly HealthCheck[]>;
  /** Absent where it serves none. */
  requestsInProgress?(): number;
  /** Other credentials are in force from now on; requests that are verified already go on. */
  replaceCredentials?(credentials: Roster): void;
  /** An operator wants to see requests as they end. */
  trace?(order: TraceOrder, send: SendTraces): void;
  /** The files of logs were renamed: go on with new ones. */
  reopenLogs?(): void;
  /** The offer's token lets its holder in, once. */
  offerLogin?(offer: LoginOffer): void;
  /**
   * Called when a drain is near: health checks send clients elsewhere from now on. Requests are
   * still served.
   */
  leave?(): void;
  /**
   * Stops accepting and lets what is in flight finish. Has no limit of its own: the supervisor
   * kills the process after `drain_timeout_ms`.
   *
   * @param handedOver - another process listens in this one's place
   */
  drain(handedOver: boolean): Promise<void>;
  /** Lets go of everything; called last, after the last snapshot. */
  close(): Promise<void>;
}

/** Thrown by a start function that knows why it cannot start. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(
    readonly failure: StartFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The supervisor decides what these mean: Ctrl-C and systemd send them to the whole group. Node's own
 * answer to SIGUSR1 is to open a debugger's port.
 */
const SUPERVISOR_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const;

const DRAIN_PROGRESS_MS = 1000;

/**
 * The child's side of the protocol (see protocol.ts): waits for `init`, starts the service with it,
 * reports, and drains when told. The process ends with 0 when drained, with 1 when it cannot start,
 * and by SIGKILL when its supervisor is gone: then a drain has no purpose, and the port must be
 * free for the next supervisor.
 *
 * @param start - makes the service ready to accept; throws {@link StartError} to name the reason
 */
export function runChild(start: (init: ChildInit) => Promise<ChildService>): void {
  for (const signal of SUPERVISOR_SIGNALS) process.on(signal, ignore);
  process.once('disconnect', endNow);
  if (!process.connected) {
    process.stderr.write('this process is started by `ringway start`, not by hand\n');
    process.exit(64);
  }
  process.once('message', (message) => {
    const init = message as ChildInit;
    // Async, so that what start throws before its first await is caught too.
    (async () => start(init))().then((service) => prepared(service, init), failed);
  });
}

/**
 * Ends the process at once. `process.exit` would wait for all that is queued for libuv's threads
 * (uv_library_shutdown joins them): as long as the disk takes, with the port and the data
 * directory's lock held.
 */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Tells why it cannot start, and ends. */
function failed(error: unknown): void {
  const failure = error instanceof StartError ? error.failure : 'internal';
  tell({ type: 'failed', failure, message: messageOf(error) }, () => process.exit(1));
}

async function prepared(service: ChildService, init: ChildInit): Promise<void> {
  // A report before `prepared`, so that readiness never lacks the backend's state.
  await report(service);
  let busy = false;
  const reports = setInterval(() => {
    if (busy) return;
    busy = true;
    void report(service).finally(() => (busy = false));
  }, init.options.probeIntervalMs);
  const receive = (message: unknown): void => {
    obey(service, message as ToChild, () => {
      clearInterval(reports);
      process.off('message', receive);
    });
  };
  process.on('message', receive);
  tell({ type: 'prepared' });
}

/** @param stopAsking - called when the service must not be asked for anything any more */
function obey(service: ChildService, message: ToChild, stopAsking: () => void): void {
  switch (message.type) {
    case 'init':
      return;
    case 'begin':
      (async () => service.begin?.())().then(() => {
        tell({ type: 'ready' });
      }, failed);
      return;
    case 'credentials':
      service.replaceCredentials?.(message.credentials);
      return;
    case 'metrics':
      void answerScrape(service, message.id);
      return;
    case 'trace':
      service.trace?.(message.order, (batches) => {
        tell({ type: 'traced', batches });
      });
      return;
    case 'reopen-logs':
      service.reopenLogs?.();
      return;
    case 'login-offer':
      service.offerLogin?.(message.offer);
      return;
    case 'leave':
      service.leave?.();
      return;
    case 'aside':
      void (service.standAside?.() ?? Promise.resolve(true)).then((lossless) => {
        tell({ type: 'aside', lossless });
      });
      return;
    case 'resume':
      void service.resume?.();
      return;
    case 'drain':
      void drain(service, message.handedOver, stopAsking);
      return;
  }
}

async function report(service: ChildService): Promise<void> {
  const [checks, metrics] = await Promise.all([service.probe(), service.snapshot()]);
  tell({ type: 'report', checks, metrics });
}

async function answerScrape(service: ChildService, id: number): Promise<void> {
  tell({ type: 'metrics', id, metrics: await service.snapshot() });
}

let isDraining = false;

async function drain(
  service: ChildService,
  handedOver: boolean,
  stopAsking: () => void,
): Promise<void> {
  if (isDraining) {
    // The order was repeated: the process that takes over is about to end as well.
    void service.drain(handedOver);
    return;
  }
  isDraining = true;
  const progress = (): void => {
    tell({ type: 'draining', requestsInProgress: service.requestsInProgress?.() ?? 0 });
  };
  progress();
  const timer = setInterval(progress, DRAIN_PROGRESS_MS);
  await service.drain(handedOver);
  clearInterval(timer);
  stopAsking();
  const metrics = await service.snapshot();
  await service.close();
  tell({ type: 'drained', metrics }, () => process.exit(0));
}

/** A channel that just closed is not an error here: `disconnect` ends the process. */
function tell(message: FromChild, sent: () => void = ignore): void {
  process.send?.(message, undefined, undefined, sent);
}

function ignore(): void {
  // Nothing to do: see the callers.
}
