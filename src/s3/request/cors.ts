import type {
  Backend,
  CallContext,
  ContainerRef,
  Metadata,
  ContainerHead,
  ReadOptions,
} from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import type { RequestHead, HeaderList } from '../../http/exchange.js';
import type { Authenticator } from '../auth/authenticate.js';
import { decodeConfiguration, storedConfiguration } from '../bucket/configuration.js';
import type { Addressing } from '../endpoint/addressing.js';
import { type Endpoint, bucketOfPath } from '../endpoint/endpoint.js';
import { S3Error } from '../errors.js';
import type { S3Response } from '../operation.js';
import type { CorsConfiguration } from '../rules/cors/configuration.js';
import { answerPreflight, type CorsState, corsHeaders } from '../rules/cors/response.js';
import { parseCorsConfiguration } from '../xml/cors-configuration.js';

/** Rules that are kept, of up to 88 KB each in the worst case; those of real buckets have 1 KB. */
const ENTRIES_MAX = 128;

interface Entry {
  readonly stored: string;
  readonly configuration: CorsConfiguration;
}

/**
 * The CORS rules of buckets. They are looked up anew for each request that has an `Origin`, so that
 * a change counts at once in every process. The last result is kept, for two ends: not to parse the
 * same document again, and to have the headers on a 503 too, when the backend is down.
 */
export class CrossOrigin {
  /** Two generations of half the size stand for an order of use. */
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();

  constructor(
    private readonly backend: Pick<Backend, 'headContainer' | 'capabilities'>,
    private readonly authenticator: Pick<Authenticator, 'claimedAccounts'>,
    private readonly entriesMax = ENTRIES_MAX,
  ) {}

  /** The rules in a container's system metadata; none where they cannot be read. */
  of(ref: ContainerRef, systemMetadata: Metadata): CorsConfiguration | undefined {
    const key = keyOf(ref);
    const stored = storedConfiguration(systemMetadata, 'cors');
    if (stored === undefined) {
      this.#young.delete(key);
      this.#old.delete(key);
      return undefined;
    }
    const kept = this.#kept(key);
    const configuration = kept?.stored === stored ? kept.configuration : decode(stored);
    if (configuration !== undefined) this.#keep(key, { stored, configuration });
    return configuration;
  }

  /** The rules to go by when the container could not be looked at: those that were read last. */
  last(ref: ContainerRef, error: unknown): CorsConfiguration | undefined {
    return isAbsent(error) ? undefined : this.#kept(keyOf(ref))?.configuration;
  }

  /**
   * Finds the rules for a request that was refused before its account was known: those of the
   * buckets that it may be for. Never rejects, since a response without these headers is better
   * than none.
   */
  async find(
    call: CallContext,
    request: RequestHead,
    container: string,
  ): Promise<CorsConfiguration | undefined> {
    const accounts = await this.authenticator.claimedAccounts(request).catch(() => []);
    const states = accounts.map((account) => {
      const ref = { account, container };
      return this.#read(call, ref).catch((error: unknown) => this.last(ref, error));
    });
    return merged(await Promise.all(states));
  }

  /**
   * Answers a preflight by the rules of the buckets that it may be for.
   * @throws S3Error as {@link answerPreflight}; BackendError when the buckets cannot be looked at
   */
  async preflight(
    call: CallContext,
    request: RequestHead,
    { bucket, resource }: Endpoint,
  ): Promise<S3Response> {
    const accounts = await this.authenticator.claimedAccounts(request);
    const answer = async (options: Pick<ReadOptions, 'newest'>) => {
      const states = await Promise.all(
        accounts.map((account) => this.#read(call, { account, container: bucket }, options)),
      );
      const state =
        merged(states) ?? (states.includes('not configured') ? 'not configured' : 'no bucket');
      const kind = resource === 'object' ? 'object' : 'bucket';
      const allowed = () => answerPreflight(request.headers, state, kind);
      return { state, allowed };
    };
    const { state, allowed } = await answer({});
    const response = (headers: HeaderList): S3Response => ({ status: 200, headers, body: '' });
    try {
      return response(allowed());
    } catch (error) {
      const isFinal = state === 'no bucket' || this.backend.capabilities.containerStaleMs === 0;
      if (isFinal || !(error instanceof S3Error && error.code === 'AccessForbidden')) throw error;
    }
    // By the rules of a moment ago: another listener may have changed them since.
    return response((await answer({ newest: true })).allowed());
  }

  async #read(
    call: CallContext,
    ref: ContainerRef,
    options?: Pick<ReadOptions, 'newest'>,
  ): Promise<CorsState> {
    try {
      const { systemMetadata } = await this.backend.headContainer(call, ref, options);
      return this.of(ref, systemMetadata) ?? 'not configured';
    } catch (error) {
      if (isAbsent(error)) return 'no bucket';
      throw error;
    }
  }

  #kept(key: string): Entry | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  #keep(key: string, entry: Entry): void {
    if (this.#young.size >= this.entriesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, entry);
  }
}

/** One configuration of all rules; undefined when there are none. */
function merged(states: readonly (CorsState | undefined)[]): CorsConfiguration | undefined {
  const configurations = states.filter((state) => typeof state === 'object');
  if (configurations.length <= 1) return configurations[0];
  return { rules: configurations.flatMap(({ rules }) => rules) };
}

/** @returns undefined for what the service did not write: no rule lets anybody in by mistake */
function decode(stored: string): CorsConfiguration | undefined {
  try {
    return parseCorsConfiguration(decodeConfiguration(stored));
  } catch {
    return undefined;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof BackendError && error.code === 'NoSuchContainer';
}

/** Neither accounts nor buckets have a slash. */
function keyOf({ account, container }: ContainerRef): string {
  return `${account}/${container}`;
}

/** The CORS rules that one request learns of its bucket, for the headers of its response. */
export class RequestCors {
  #rules: CorsConfiguration | undefined;

  constructor(
    private readonly crossOrigin: CrossOrigin,
    private readonly request: RequestHead,
  ) {}

  get headers(): HeaderList {
    const { method, headers } = this.request;
    return corsHeaders(method, headers, this.#rules);
  }

  /** The bucket's container was looked at. */
  found(ref: ContainerRef, { systemMetadata }: ContainerHead): void {
    this.#rules = this.crossOrigin.of(ref, systemMetadata);
  }

  /** It could not be looked at. */
  missed(ref: ContainerRef, error: unknown): void {
    this.#rules = this.crossOrigin.last(ref, error);
  }

  /**
   * The headers for a request that was refused before it was admitted.
   * @param endpoint - as far as the request was understood
   * @param addressing - where that is not far enough to name the bucket
   */
  async ofRefused(
    call: CallContext,
    endpoint: Endpoint | undefined,
    addressing: Addressing,
  ): Promise<void> {
    const { request } = this;
    if (!request.headers.has('origin') || request.malformed !== undefined) return;
    if (endpoint?.operation === 'PreflightRequest') return;
    const bucket =
      endpoint?.bucket ?? bucketOfPath(request.rawPath, addressing.hostBucket(request));
    if (bucket !== '') this.#rules = await this.crossOrigin.find(call, request, bucket);
  }
}
