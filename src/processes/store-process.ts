import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend } from '../backend/backend.js';
import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { readStoreSecret } from '../config/secret-file.js';
import { prepareHttp, type HttpServer } from '../http/server.js';
import { TrustedProxies } from '../http/trusted-proxies.js';
import { messageOf } from '../lib/error-message.js';
import { openStore } from './open-store.js';
import { runChild, StartError, type ChildService } from './child.js';
import { HttpChild, probeStore } from './http-child.js';
import type { ChildInit, HealthCheck } from './protocol.js';
import { S3API_INFO } from '../s3/rules/protocol-limits.js';
import { SwiftApi, type FinishedRequest } from '../swift-api/swift-api.js';
import { shownUserAgent } from '../telemetry/access-log.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { nextRequestId } from '../telemetry/request-id.js';
import { SwiftApiMetrics } from '../telemetry/swift-api-metrics.js';

/**
 * The store process: Swift's API over the embedded store. The supervisor forks one. S3 does not pass
 * through it.
 */
runChild(startStore);

/** The version of Swift whose API this is. */
const SWIFT_VERSION = '2.30.1';
/** A folder in `data_dir`. Its files have no names, so it looks empty. */
const SPOOL_FOLDER = 'uploads';

async function startStore({ options, credentials }: ChildInit): Promise<ChildService> {
  const log = createLogger({ level: options.logLevel, process: 'store', buffered: true });
  const { backend } = await openStore(options, credentials);
  const spoolDirectory = join(options.dataDir, SPOOL_FOLDER);
  await mkdir(spoolDirectory, { recursive: true, mode: 0o700 });
  const metrics = new SwiftApiMetrics(() => api.requestsInProgress);
  const api: SwiftApi = new SwiftApi({
    backend,
    roster: credentials,
    proxies: new TrustedProxies(options.trustedProxies),
    spoolDirectory,
    version: SWIFT_VERSION,
    nextRequestId,
    gatewaySecrets: gatewaySecrets(options),
    s3apiInfo: S3API_INFO,
    onFinished: (request) => {
      metrics.finished(request);
      // Health checks, which come each second, are not logged.
      if (request.resource !== 'healthcheck') log.info(lineOf(request), 'request');
    },
    onError: (error, requestId) => {
      log.error({ err: error, request_id: requestId }, 'a request of the Swift API failed');
    },
  });
  const server = prepareServer(options, api, log);
  return new StoreService(server, api, backend, metrics);
}

class StoreService extends HttpChild implements ChildService {
  constructor(
    server: HttpServer,
    private readonly api: SwiftApi,
    private readonly store: Backend,
    private readonly metrics: SwiftApiMetrics,
  ) {
    super(server);
  }

  snapshot() {
    return this.metrics.snapshot();
  }

  async probe(): Promise<readonly HealthCheck[]> {
    return [await probeStore(this.store)];
  }

  requestsInProgress(): number {
    return this.api.requestsInProgress;
  }

  replaceCredentials(roster: Roster): void {
    this.api.replaceRoster(roster);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** @throws StartError for a file that cannot be used */
function gatewaySecrets({ storeFilterSecretFile: file }: FilledOptions): readonly string[] {
  try {
    const secret = readStoreSecret('store_filter_secret_file', file);
    return secret === undefined ? [] : [secret];
  } catch (error) {
    throw new StartError('config', messageOf(error), { cause: error });
  }
}

/** One line of the access log; neither tokens nor the query, which may hold a TempURL's signature. */
function lineOf(request: FinishedRequest): object {
  const { requestId, method, path, resource, user, status, bytesIn, bytesOut, abortedBy } = request;
  return {
    request_id: requestId,
    requester: user,
    operation: resource,
    method,
    path,
    status,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    total_ms: Math.round(request.durationS * 1e6) / 1000,
    aborted_by: abortedBy,
    user_agent: shownUserAgent(request.userAgent),
  };
}

/** @throws StartError */
function prepareServer(options: FilledOptions, api: SwiftApi, log: Logger): HttpServer {
  const { storeListen } = options;
  if (storeListen === '') throw new StartError('internal', 'store_listen is empty');
  return prepareHttp(
    {
      ...storeListen,
      limits: {
        responseStallTimeoutMs: options.responseStallTimeoutMs,
        drainBytesMax: options.requestDrainBytesMax,
      },
      onHandlerError: (error) => {
        log.error({ err: error }, 'a request broke the Swift API');
      },
    },
    api.handle,
  );
}
