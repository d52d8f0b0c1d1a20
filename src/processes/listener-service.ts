import type { Backend } from '../backend/backend.js';
import { PersistentBackend } from '../backend/decorators/persistent.js';
import { watchedBackend } from '../backend/decorators/watched-backend.js';
import { PeerDate, startClockHealth, type ClockHealth } from '../clock/index.js';
import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import type { DigestFactory } from '../digest/body-digest.js';
import { prepareHttp, type HttpServer } from '../http/server.js';
import type { ExchangeHandler } from '../http/exchange.js';
import { TrustedProxies } from '../http/trusted-proxies.js';
import { ListenerHealth } from './listener-health.js';
import { createPools, type ListenerPools } from './listener-pools.js';
import { openAccessLog } from './open-access-log.js';
import { openCredentials, type OpenCredentials } from './open-credentials.js';
import { openStore, type OpenedStore } from './open-store.js';
import type { ChildService } from './child.js';
import { callsCheck } from './calls-check.js';
import { HttpChild, probeStore } from './http-child.js';
import type { ChildInit, HealthCheck } from './protocol.js';
import { Addressing } from '../s3/endpoint/addressing.js';
import { Admission } from '../s3/request/admission.js';
import { createAuthenticator } from '../s3/auth/authenticate.js';
import { RequestRecorder } from '../s3/request/request-record.js';
import { BucketLifecycles } from '../s3/bucket/lifecycles.js';
import { Restorer } from '../s3/cold/restorer.js';
import { createPipeline } from '../s3/pipeline.js';
import { withHealthPath } from '../s3/request/health-path.js';
import { parseColdClasses } from '../s3/rules/cold/classes.js';
import { SegmentCleaner } from '../s3/segments/cleaner.js';
import { VersionedKeys } from '../s3/versions/versioned-keys.js';
import type { AccessLog } from '../telemetry/access-log.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { ListenerMetrics } from '../telemetry/metrics.js';
import { RequestTrace, type SendTraces, type TraceOrder } from '../telemetry/request-trace.js';

/** Puts a layer between the protocol and the store. */
export type DecorateBackend = (store: Backend) => Backend;

/**
 * The service of a listener process, until it is drained.
 *
 * @param decorate - puts something in front of the store, for tests of failures there
 * @throws StartError
 */
export async function startListener(
  init: ChildInit,
  decorate: DecorateBackend = (store) => store,
): Promise<ChildService> {
  const { options, worker } = init;
  const log = createLogger({
    level: options.logLevel,
    process: 'listener',
    worker,
    buffered: true,
  });
  const metrics = new ListenerMetrics();
  metrics.stages.sample(options.stageSampleEvery);
  metrics.buckets.limit(options.bucketMetricsMax, worker);
  const accessLog = openAccessLog(options, metrics, log);
  const trace = new RequestTrace();
  const peerDate = new PeerDate();
  const opened = await openWatchedStore(init, metrics, peerDate, log);
  const store = watchedBackend(decorate(opened.backend));
  const pools = createPools(options, metrics);
  const { digests, documents, pages } = pools;
  const segments = new SegmentCleaner({ backend: store, graceMs: options.segmentGraceMs, log });
  const cold = await createCold(options, store, digests);
  const versions = new VersionedKeys({
    // A version that is in the index but not at its key would be there for who tries again.
    backend: new PersistentBackend(store),
    indexBytesMax: options.versionIndexBytesMax,
    sweepAgeMs: options.versionSweepAgeMs,
    onAttempt: (outcome) => {
      metrics.versionCommitEnded(outcome);
    },
    postpone: {
      onWrite: (outcome) => {
        metrics.postponedIndexEnded(outcome);
      },
    },
  });
  const clock = await startClock(options, peerDate, log);
  const proxies = new TrustedProxies(options.trustedProxies, tlsOf(options) && 'https');
  const addressing = new Addressing(options, proxies);
  const credentials = await openCredentials(options, init.credentials, log, metrics.identity);
  const pipeline = createPipeline({
    services: {
      backend: store,
      settings: options,
      digests,
      documents,
      pages,
      lifecycles: new BucketLifecycles(store, documents),
      segments,
      cold,
      versions,
      clock,
    },
    authenticator: createAuthenticator({
      credentials: credentials.source,
      region: options.region,
      digests,
      hosts: addressing.signedHosts,
      anonymousAccount: options.anonymousAccount,
    }),
    addressing,
    admission: createAdmission(options, metrics),
    proxies,
    recorder: new RequestRecorder({ metrics, proxies, accessLog, trace, listener: worker }),
    log,
  });
  const health = new ListenerHealth(options.probeIntervalMs);
  const handler = withHealthPath(
    { path: options.s3HealthPath, addressing, health: () => health.current },
    pipeline,
  );
  const server = prepareServer(options, handler, log);
  const { restorer } = cold;
  return new Listener({
    credentials,
    server,
    opened,
    store,
    pools,
    versions,
    segments,
    restorer,
    clock,
    metrics,
    health,
    accessLog,
    trace,
  });
}

interface ListenerDeps {
  readonly credentials: OpenCredentials;
  readonly server: HttpServer;
  readonly opened: OpenedStore;
  readonly store: Backend;
  readonly pools: ListenerPools;
  readonly versions: VersionedKeys;
  readonly segments: SegmentCleaner;
  readonly restorer: Restorer | undefined;
  readonly clock: ClockHealth;
  readonly metrics: ListenerMetrics;
  readonly health: ListenerHealth;
  readonly accessLog: AccessLog | undefined;
  readonly trace: RequestTrace;
}

class Listener extends HttpChild implements ChildService {
  constructor(private readonly deps: ListenerDeps) {
    super(deps.server);
  }

  snapshot() {
    return this.deps.metrics.snapshot();
  }

  async probe(): Promise<readonly HealthCheck[]> {
    const { credentials, store, opened, metrics, health } = this.deps;
    const [backend, others] = await Promise.all([probeStore(store), credentials.probe()]);
    const checks = [backend, ...callsCheck(metrics.backend.recent), ...opened.checks(), ...others];
    metrics.backend.probed(backend.ok);
    health.probed(checks);
    return checks;
  }

  trace(order: TraceOrder, send: SendTraces): void {
    this.deps.trace.follow(order, send);
  }

  reopenLogs(): void {
    this.deps.accessLog?.reopen();
  }

  leave(): void {
    this.deps.health.leave();
  }

  requestsInProgress(): number {
    return this.deps.metrics.requestsInProgress;
  }

  replaceCredentials(roster: Roster): void {
    this.deps.credentials.replace(roster);
    this.deps.opened.replaceRoster(roster);
  }

  async close(): Promise<void> {
    const { credentials, restorer, pools, segments, store, clock, metrics, accessLog } = this.deps;
    clock.close();
    this.deps.trace.close();
    await this.deps.versions.close();
    await restorer?.close();
    await pools.close();
    await segments.close();
    await store.close();
    await credentials.close();
    await accessLog?.close();
    metrics.close();
  }
}

function createAdmission(options: FilledOptions, metrics: ListenerMetrics): Admission {
  const admission = new Admission(
    {
      inFlightMax: options.admissionInFlightMax,
      bodyBytesMax: options.bodyMemoryBytesMax,
      queueMax: options.admissionQueueMax,
      waitMsMax: options.admissionWaitMsMax,
      ratePerS: options.rateLimitRequestsPerS,
      rateBurst: options.rateLimitBurst,
    },
    metrics.admission,
  );
  metrics.admission.watch(admission);
  return admission;
}

/** Its findings are logged: a clock that cannot be trusted denies COMPLIANCE. */
function startClock(options: FilledOptions, peerDate: PeerDate, log: Logger): Promise<ClockHealth> {
  return startClockHealth({
    maxOffsetMs: options.wormClockMaxOffsetMs,
    peer: options.backend === 'swift' ? peerDate : undefined,
    onChange: (state, why) => {
      if (state === 'unhealthy') log.warn({ clock: why }, 'the clock cannot be trusted');
      else log.info({ clock: why }, 'the clock can be trusted');
    },
  });
}

async function createCold(options: FilledOptions, backend: Backend, digests: DigestFactory) {
  const classes = parseColdClasses(options.coldStorageClasses);
  // Loaded where there is one alone: see open-store.ts.
  const cold =
    options.coldBackend === 'none'
      ? undefined
      : (await import('./open-cold.js')).openColdBackend(options);
  const now = (): number => Date.now();
  const restorer = cold && new Restorer({ backend, cold, digests, classes, now });
  return { classes, restorer };
}

async function openWatchedStore(
  { options, credentials }: ChildInit,
  metrics: ListenerMetrics,
  peerDate: PeerDate,
  log: Logger,
): Promise<OpenedStore> {
  const store = await openStore(options, credentials, {
    onSync: (seconds, batch) => {
      metrics.store.committed(seconds, batch);
    },
    onGateWait: (waiter, seconds) => {
      metrics.store.gateWaited(waiter, seconds);
    },
    swift: {
      onAttempt: ({ endpoint, method, status, error = 'none', seconds: durationS }) => {
        metrics.backend.requested({ endpoint, method, code: status ?? error, durationS });
      },
      onRetry: (reason) => {
        metrics.backend.retried(reason);
      },
      onDate: (date, sentAt, receivedAt) => {
        peerDate.observe(date, sentAt, receivedAt);
      },
      onHedge: (won) => {
        metrics.backend.hedged(won);
      },
      onEndpoint: (endpoint, well, reason) => {
        if (well) log.info({ endpoint }, 'a proxy is well again');
        else log.warn({ endpoint, reason }, 'a proxy is left out until it is well');
      },
      onRead: (way) => {
        metrics.directReads.read(way);
      },
      onNodeError: (node, error) => {
        metrics.directReads.nodeFailed(node, error);
      },
      onHedgeWon: () => {
        metrics.directReads.hedgeWon();
      },
      onRing: ({ name, file, version, problem }) => {
        metrics.directReads.ring(name, version, problem !== undefined);
        if (problem === undefined) log.info({ file, version }, 'a ring is in use');
        else log.warn({ file, reason: problem.reason }, 'a ring file cannot be used');
      },
    },
  });
  const { bytesUsed, load } = store;
  if (bytesUsed !== undefined) metrics.watchStoreBytes(bytesUsed);
  if (load !== undefined) metrics.backend.watchConnections(load);
  for (const { name, detail } of store.checks()) {
    if (detail !== undefined) log.warn({ check: name, detail }, 'the store lacks something');
  }
  return store;
}

function tlsOf({ tlsCertFile: certFile, tlsKeyFile: keyFile }: FilledOptions) {
  return certFile === '' ? undefined : { certFile, keyFile };
}

function prepareServer(options: FilledOptions, handler: ExchangeHandler, log: Logger): HttpServer {
  return prepareHttp(
    {
      ...options.s3Listen,
      tls: tlsOf(options),
      limits: {
        responseStallTimeoutMs: options.responseStallTimeoutMs,
        drainBytesMax: options.requestDrainBytesMax,
        bufferedBytesMax: options.bodyMemoryBytesMax,
      },
      onHandlerError: (error) => {
        log.error({ err: error }, 'a request broke the pipeline');
      },
    },
    handler,
  );
}
