import type { MetricSnapshot } from '../telemetry/snapshot.js';
import type { ChildInit, FromChild, HealthCheck, StartFailure, ToChild } from './protocol.js';

/** What a child process does, as the supervisor needs to see it. */
export interface ChildService {
  /** All metrics now. */
  snapshot(): Promise<MetricSnapshot>;
  /** Looks at what the service depends on; says what is wrong rather than throwing. */
  probe(): Promise<readonly HealthCheck[]>;
  requestsInProgress(): number;
  /**
   * Stops accepting and lets what is in flight finish. Has no limit of its own: the supervisor
   * kills the process after `drain_timeout_ms`.
   */
  drain(): Promise<void>;
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

/** The supervisor decides what these mean: Ctrl-C and systemd send them to the whole group. */
const SUPERVISOR_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const DRAIN_PROGRESS_MS = 1000;

/**
 * The child's side of the protocol (see protocol.ts): waits for `init`, starts the service with
 * it, reports, and drains when told. The process ends with 0 when drained, and with 1 when it
 * cannot start or its supervisor is gone: then there is nobody to drain for, and the port must be
 * free for the next supervisor.
 *
 * @param start - makes the service ready to accept; throws {@link StartError} to name the reason
 */
export function runChild(start: (init: ChildInit) => Promise<ChildService>): void {
  for (const signal of SUPERVISOR_SIGNALS) process.on(signal, ignore);
  process.once('disconnect', () => process.exit(1));
  if (!process.connected) {
    process.stderr.write('this process is started by `ringway start`, not by hand\n');
    process.exit(64);
  }
  process.once('message', (message) => {
    const init = message as ChildInit;
    // Async, so that what start throws before its first await is caught too.
    (async () => start(init))().then(
      (service) => serve(service, init),
      (error: unknown) => {
        const failure = error instanceof StartError ? error.failure : 'internal';
        const text = error instanceof Error ? error.message : String(error);
        tell({ type: 'failed', failure, message: text }, () => process.exit(1));
      },
    );
  });
}

async function serve(service: ChildService, init: ChildInit): Promise<void> {
  // A report before `ready`, so that readiness never lacks the backend's state.
  await report(service);
  tell({ type: 'ready' });
  let busy = false;
  const reports = setInterval(() => {
    if (busy) return;
    busy = true;
    void report(service).finally(() => (busy = false));
  }, init.options.probeIntervalMs);
  const receive = (message: unknown): void => {
    switch ((message as ToChild).type) {
      case 'init':
        return;
      case 'metrics':
        void answerScrape(service, message as ScrapeRequest);
        return;
      case 'drain':
        void drain(service, () => {
          clearInterval(reports);
          process.off('message', receive);
        });
        return;
    }
  };
  process.on('message', receive);
}

async function report(service: ChildService): Promise<void> {
  const [checks, metrics] = await Promise.all([service.probe(), service.snapshot()]);
  tell({ type: 'report', checks, metrics });
}

type ScrapeRequest = Extract<ToChild, { readonly type: 'metrics' }>;

async function answerScrape(service: ChildService, { id }: ScrapeRequest): Promise<void> {
  tell({ type: 'metrics', id, metrics: await service.snapshot() });
}

/** @param stopAsking - from here on nobody asks the service for anything */
async function drain(service: ChildService, stopAsking: () => void): Promise<void> {
  const progress = (): void => {
    tell({ type: 'draining', requestsInProgress: service.requestsInProgress() });
  };
  progress();
  const timer = setInterval(progress, DRAIN_PROGRESS_MS);
  await service.drain();
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
