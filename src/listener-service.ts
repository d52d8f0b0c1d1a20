import type { Backend } from './backend/backend.js';
import { startClockHealth, type ClockHealth } from './clock/index.js';
import type { FilledOptions } from './config/options.js';
import { createDigestFactory, type DigestService } from './digest/index.js';
import { serveHttp, type HttpServer } from './http/server.js';
import type { ExchangeHandler } from './http/exchange.js';
import { TrustedProxies } from './http/trusted-proxies.js';
import { openColdBackend } from './open-cold.js';
import { openStore } from './open-store.js';
import { StartError, type ChildService } from './process/child.js';
import type { ChildInit, HealthCheck } from './process/protocol.js';
import { Addressing } from './s3/addressing.js';
import { createAuthenticator } from './s3/auth/authenticate.js';
import { rosterCredentials } from './s3/auth/roster.js';
import { BucketLifecycles } from './s3/bucket-lifecycles.js';
import { Restorer } from './s3/cold/restorer.js';
import { createPipeline } from './s3/pipeline.js';
import { parseColdClasses } from './s3/rules/cold/classes.js';
import { SegmentCleaner } from './s3/segments/cleaner.js';
import { VersionedKeys } from './s3/versions/versioned-keys.js';
import { createXmlPool, type XmlPool } from './s3/xml-pool/index.js';
import { createLogger, type Logger } from './telemetry/logger.js';
import { ListenerMetrics } from './telemetry/metrics.js';

/** What stands between the protocol and the store. */
export type DecorateBackend = (store: Backend) => Backend;

/**
 * What a listener process does, until it is drained.
 *
 * @param decorate - puts something in front of the store, for tests of what goes wrong there
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
  const store = decorate(await openWatchedStore(options, metrics));
  const digests = createDigests(options, metrics);
  const documents = createDocuments(options, metrics);
  const segments = new SegmentCleaner({ backend: store, graceMs: options.segmentGraceMs, log });
  const cold = createCold(options, store, digests);
  const versions = new VersionedKeys({
    backend: store,
    indexBytesMax: options.versionIndexBytesMax,
    onAttempt: (outcome) => {
      metrics.versionCommitEnded(outcome);
    },
  });
  const clock = await startClock(options, log);
  const proxies = new TrustedProxies(options.trustedProxies);
  const addressing = new Addressing(options, proxies);
  const pipeline = createPipeline({
    services: {
      backend: store,
      settings: options,
      digests,
      documents,
      lifecycles: new BucketLifecycles(store),
      segments,
      cold,
      versions,
      clock,
    },
    authenticator: createAuthenticator({
      credentials: rosterCredentials(init.credentials),
      region: options.region,
      digests,
      hosts: addressing.signedHosts,
      anonymousAccount: options.anonymousAccount,
    }),
    addressing,
    proxies,
    metrics,
    log,
  });
  const server = await serve(options, pipeline, log);
  const { restorer } = cold;
  return new Listener({ server, store, digests, documents, segments, restorer, clock, metrics });
}

/** The longest timer there is: the supervisor ends a drain that takes too long. */
const NO_LIMIT_MS = 2 ** 31 - 1;

interface ListenerParts {
  readonly server: HttpServer;
  readonly store: Backend;
  readonly digests: DigestService;
  readonly documents: XmlPool;
  readonly segments: SegmentCleaner;
  readonly restorer: Restorer | undefined;
  readonly clock: ClockHealth;
  readonly metrics: ListenerMetrics;
}

class Listener implements ChildService {
  constructor(private readonly parts: ListenerParts) {}

  snapshot() {
    return this.parts.metrics.snapshot();
  }

  async probe(): Promise<readonly HealthCheck[]> {
    try {
      await this.parts.store.ping({ requestId: 'probe' });
      return [{ name: 'backend', ok: true }];
    } catch (error) {
      return [{ name: 'backend', ok: false, detail: String(error) }];
    }
  }

  requestsInProgress(): number {
    return this.parts.metrics.requestsInProgress;
  }

  async drain(): Promise<void> {
    await this.parts.server.drain(NO_LIMIT_MS);
  }

  async close(): Promise<void> {
    const { restorer, digests, documents, segments, store, clock, metrics } = this.parts;
    clock.close();
    await restorer?.close();
    await digests.close();
    await documents.close();
    await segments.close();
    await store.close();
    metrics.close();
  }
}

/** What it finds is logged: a clock that cannot be trusted denies COMPLIANCE. */
function startClock(options: FilledOptions, log: Logger): Promise<ClockHealth> {
  return startClockHealth({
    maxOffsetMs: options.wormClockMaxOffsetMs,
    onChange: (state, why) => {
      if (state === 'unhealthy') log.warn({ clock: why }, 'the clock cannot be trusted');
      else log.info({ clock: why }, 'the clock can be trusted');
    },
  });
}

function createCold(options: FilledOptions, backend: Backend, digests: DigestService) {
  const classes = parseColdClasses(options.coldStorageClasses);
  const cold = openColdBackend(options);
  const now = (): number => Date.now();
  const restorer = cold && new Restorer({ backend, cold, digests, classes, now });
  return { classes, restorer };
}

async function openWatchedStore(
  options: FilledOptions,
  metrics: ListenerMetrics,
): Promise<Backend> {
  const store = await openStore(options, (seconds, batch) => {
    metrics.storeSynced(seconds);
    metrics.storeCommitted(batch);
  });
  metrics.watchStoreBytes(() => {
    const { bytesUsed, indexBytes } = store.stats();
    return bytesUsed + indexBytes;
  });
  return store;
}

function createDigests(options: FilledOptions, metrics: ListenerMetrics): DigestService {
  const digests = createDigestFactory({
    inlineBytesMax: options.digestInlineBytesMax,
    lanes: options.digestLanes,
    onTask: ({ waitS, runS, bytes }) => {
      metrics.poolTaskFinished(waitS, runS);
      metrics.digestLaneHashed(bytes);
    },
  });
  metrics.watchPool(() => digests.stats());
  return digests;
}

function createDocuments(options: FilledOptions, metrics: ListenerMetrics): XmlPool {
  const documents = createXmlPool({
    inlineBytesMax: options.xmlInlineBytesMax,
    onTask: ({ waitS, runS }) => {
      metrics.poolTaskFinished(waitS, runS);
    },
  });
  metrics.watchPool(() => documents.stats());
  return documents;
}

async function serve(
  options: FilledOptions,
  handler: ExchangeHandler,
  log: Logger,
): Promise<HttpServer> {
  const { host, port } = options.s3Listen;
  try {
    return await serveHttp(
      {
        host,
        port,
        limits: {
          responseStallTimeoutMs: options.responseStallTimeoutMs,
          drainBytesMax: options.requestDrainBytesMax,
        },
        onHandlerError: (error) => {
          log.error({ err: error }, 'a request broke the pipeline');
        },
      },
      handler,
    );
  } catch (error) {
    throw new StartError('listen', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
