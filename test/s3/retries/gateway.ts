import { performance } from 'node:perf_hooks';
import type { Backend } from '../../../src/backend/backend.js';
import { PersistentBackend } from '../../../src/backend/decorators/persistent.js';
import { UNCHECKED } from '../../../src/clock/index.js';
import type {
  Exchange,
  HttpResponse,
  RequestBody,
  SendResult,
} from '../../../src/http/exchange.js';
import { TrustedProxies } from '../../../src/http/trusted-proxies.js';
import { Addressing } from '../../../src/s3/endpoint/addressing.js';
import { Admission } from '../../../src/s3/request/admission.js';
import type { Authenticator } from '../../../src/s3/auth/authenticate.js';
import {
  parsePayloadMode,
  UNSIGNED_PAYLOAD,
  planPayload,
} from '../../../src/s3/auth/payload-plan.js';
import { VerifiedPayload } from '../../../src/s3/auth/verified-payload.js';
import { BucketLifecycles } from '../../../src/s3/bucket/lifecycles.js';
import { createPipeline } from '../../../src/s3/pipeline.js';
import { RequestRecorder } from '../../../src/s3/request/request-record.js';
import { SegmentCleaner } from '../../../src/s3/segments/cleaner.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { createPagePool } from '../../../src/s3/xml-pool/page-pool.js';
import { createXmlPool } from '../../../src/s3/xml-pool/index.js';
import { ListenerMetrics } from '../../../src/telemetry/metrics.js';
import { requestHead, sizedBody } from '../../support/requests.js';
import { COLD_CLASSES, DIGESTS as digests, restorerOn } from './cold.js';

export interface Request {
  /** Method and target, such as `PUT /bucket/key?acl`. */
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  /** Of an error document, also of a late one. */
  readonly code: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The body ended before its end. */
  readonly isCut: boolean;
}

/** Longer than any test: what is to be removed later is left to the sweeper. */
const GRACE_MS = 3_600_000;
const INDEX_BYTES_MAX = 1024 * 1024;
const STORAGE_CLASSES = ['STANDARD', 'GLACIER'];
const MANY = 1_000_000;

const metrics = new ListenerMetrics();
const proxies = new TrustedProxies([]);
const documents = createXmlPool({ inlineBytesMax: Number.MAX_SAFE_INTEGER });
const pages = createPagePool();

/** The protocol as a listener serves it, without sockets and signatures, for one account's owner. */
export class Gateway {
  readonly admission = new Admission(
    {
      inFlightMax: MANY,
      bodyBytesMax: MANY * MANY,
      queueMax: 1,
      waitMsMax: 1,
      ratePerS: 0,
      rateBurst: 1,
    },
    metrics.admission,
  );
  readonly #segments: SegmentCleaner;
  readonly #handle: ReturnType<typeof createPipeline>;

  constructor(
    readonly backend: Backend,
    readonly account: string,
  ) {
    const addressing = new Addressing({ baseDomains: [], externalHosts: [] }, proxies);
    const log = { warn: () => undefined, error: () => undefined };
    this.#segments = new SegmentCleaner({ backend, graceMs: GRACE_MS, log });
    this.#handle = createPipeline({
      services: {
        backend,
        settings: { region: 'us-east-1', location: 'us-east-1', storageClasses: STORAGE_CLASSES },
        digests,
        documents,
        pages,
        lifecycles: new BucketLifecycles(backend, documents),
        segments: this.#segments,
        cold: { classes: COLD_CLASSES, restorer: restorerOn(backend) },
        versions: new VersionedKeys({
          backend: new PersistentBackend(backend, () => Promise.resolve()),
          indexBytesMax: INDEX_BYTES_MAX,
          pause: () => Promise.resolve(),
        }),
        clock: UNCHECKED,
      },
      authenticator: ownerOf(account),
      addressing,
      admission: this.admission,
      proxies,
      recorder: new RequestRecorder({ metrics, proxies, listener: 0 }),
      log,
    });
  }

  async send(request: Request): Promise<Answer> {
    const exchange = new MemoryExchange(request);
    await this.#handle(exchange);
    return exchange.answer();
  }

  close(): Promise<void> {
    return this.#segments.close();
  }
}

/** Lets everybody in. */
function ownerOf(account: string): Authenticator {
  const principal = { accessKey: 'KEY', account, role: 'owner', user: 'test:owner' } as const;
  const mode = parsePayloadMode(UNSIGNED_PAYLOAD);
  return {
    authenticate: ({ headers }) => ({
      principal,
      headers,
      openPayload: (body, options = {}) => {
        const plan = planPayload(mode, headers, body.contentLength, options);
        return new VerifiedPayload(body, plan, undefined, digests);
      },
    }),
    claimedAccounts: () => Promise.resolve([account]),
  };
}

class MemoryExchange implements Exchange {
  readonly request: Exchange['request'];
  readonly body: RequestBody;
  readonly startedAt = performance.now();
  readonly aborted = false;
  readonly signal = new AbortController().signal;
  #answer: Answer | undefined;

  constructor({ line, headers = {}, body = '' }: Request) {
    const [method = '', target = ''] = line.split(' ');
    const bytes = Buffer.from(body);
    const length: Request['headers'] =
      method === 'PUT' || method === 'POST' ? { 'content-length': String(bytes.length) } : {};
    this.request = requestHead(method, target, { host: 'localhost', ...length, ...headers });
    this.body = sizedBody(bytes);
  }

  addAbortListener(): void {
    // No client of this exchange ever leaves.
  }

  removeAbortListener(): void {
    // As above.
  }

  async respond({ status, headers, body = '' }: HttpResponse): Promise<SendResult> {
    const chunks: Buffer[] = [];
    let error: unknown;
    try {
      const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
      for await (const chunk of isWhole ? [Buffer.from(body)] : body) {
        chunks.push(Buffer.from(chunk));
      }
    } catch (thrown) {
      error = thrown;
    }
    const text = Buffer.concat(chunks).toString('latin1');
    const isCut = error !== undefined;
    const code = /<Error>.*<Code>([^<]*)<\/Code>/s.exec(text)?.[1];
    const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    this.#answer = { status, code, headers: new Map(named), text, isCut };
    return { bytesSent: text.length, abortedBy: isCut ? 'source' : null, error };
  }

  cut(): void {
    throw new Error('nobody has left');
  }

  answer(): Answer {
    if (this.#answer === undefined) throw new Error('there was no answer');
    return this.#answer;
  }
}
