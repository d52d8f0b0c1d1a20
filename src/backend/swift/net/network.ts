import { BackendError } from '../../errors.js';
import type { CallContext } from '../../backend.js';
import { Attempts } from './attempts.js';
import { AttemptError } from './retry-policy.js';
import type { Answer } from './answer.js';
import { Endpoint } from './endpoint.js';
import { EndpointTrust } from './endpoint-trust.js';
import { EndpointWatch } from './endpoint-watch.js';
import { Endpoints } from './endpoints.js';
import type { TransportLoad, FilledOptions } from './options.js';
import { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { Sender, type Outgoing } from './sender.js';
import type { Signer } from './signer.js';

/** The limit of requests that are answered from memory: long, where no less is configured. */
const SMALL_TIMEOUT_MS = 10_000;
const PROBE_BYTES_MAX = 64 * 1024;
/** The usual size of what the kernel gives at once; more brings no gain. */
const SLAB_BYTES = 256 * 1024;
/** 16 MiB: large answers beyond them are read in smaller pieces. */
const SLABS_MAX = 64;
/** swift/common/middleware/healthcheck.py */
const HEALTH_PATH = '/healthcheck';

/** Servers that can stand in for each other: the cluster's proxies, or those of its identity service. */
export class Network {
  readonly endpoints: Endpoints<Endpoint>;
  readonly trust: EndpointTrust;
  readonly #watch: EndpointWatch<Endpoint>;
  readonly #attempts: Attempts;
  /** Sends to any endpoint that is well. */
  readonly sender: Sender;
  readonly #smallTimeoutMs: number;

  /** @param check see EndpointTrust */
  constructor(
    names: readonly string[],
    private readonly options: FilledOptions,
    sign: Signer,
    check: (endpoint: Endpoint) => Promise<void> = () => Promise.resolve(),
  ) {
    // A request may wait for one before it is sent.
    this.#smallTimeoutMs = Math.min(SMALL_TIMEOUT_MS, options.headersTimeoutMs);
    const slabs = new ReadSlabs(SLAB_BYTES, SLABS_MAX);
    this.endpoints = new Endpoints(
      names.map((name) => new Endpoint(name, options, slabs)),
      options,
    );
    this.#watch = new EndpointWatch({
      endpoints: this.endpoints.all,
      probe: (endpoint) => this.#probe(endpoint),
      restored: () => {
        this.endpoints.serveWaiters();
      },
      options,
    });
    const release = (endpoint: Endpoint): void => {
      this.endpoints.release(endpoint);
    };
    this.trust = new EndpointTrust(check, options.infoMs);
    this.#attempts = new Attempts(this.#watch, this.trust, release, sign, options);
    this.sender = new Sender(this.endpoints, this.#attempts, options);
  }

  /** One small GET to this one, over what it may have otherwise. */
  getAt(
    endpoint: Endpoint,
    path: string,
    signed: boolean,
    headersTimeoutMs = this.#smallTimeoutMs,
  ): Promise<Answer | AttemptError> {
    this.endpoints.take(endpoint);
    const get = smallGet({ requestId: 'ringway-probe' }, path, signed);
    const outgoing = { ...get, probe: true, headersTimeoutMs };
    return this.#attempts.begin(endpoint, outgoing, undefined, true).ended;
  }

  /** Resolves when one answers. @throws BackendError Unavailable; as Sender.send */
  async ping(context: CallContext): Promise<void> {
    const get = smallGet(context, HEALTH_PATH, false);
    // A machine that is busy is given more time here than one among several.
    const headersTimeoutMs = 2 * this.options.probeTimeoutMs;
    await settleProbe(await this.sender.send({ ...get, headersTimeoutMs }));
  }

  load(): TransportLoad {
    const { inFlight, waiting, all } = this.endpoints;
    const open = all.reduce((sum, endpoint) => sum + endpoint.connections, 0);
    return { active: inFlight, idle: Math.max(0, open - inFlight), waiting };
  }

  close(): void {
    this.sender.close();
    this.#watch.close();
    for (const endpoint of this.endpoints.all) endpoint.destroy();
  }

  async #probe(endpoint: Endpoint): Promise<void> {
    const { probeTimeoutMs } = this.options;
    const outcome = await this.getAt(endpoint, HEALTH_PATH, false, probeTimeoutMs);
    if (outcome instanceof AttemptError) throw outcome;
    await settleProbe(outcome);
  }
}

/**
 * Anything below 500 is an answer of a proxy that has no health check in its pipeline; one that is
 * taken out of service by its file answers 503.
 */
async function settleProbe(answer: Answer): Promise<void> {
  await answer.text(PROBE_BYTES_MAX);
  if (answer.status >= 500) {
    throw new BackendError('Unavailable', `the health check of Swift answers ${answer.status}`);
  }
}

function smallGet(context: CallContext, path: string, signed: boolean): Outgoing {
  return {
    context,
    method: 'GET',
    path,
    headers: [],
    repeatable: true,
    signed,
  };
}
