import type { CallContext, ContainerHead, ContainerRef } from '../backend/backend.js';
import type { HeaderList, RequestHead } from '../http/exchange.js';
import type { Addressing } from './addressing.js';
import type { CrossOrigin } from './cross-origin.js';
import { bucketOfPath, type Endpoint } from './endpoint.js';
import type { CorsConfiguration } from './rules/cors/configuration.js';
import { corsHeaders } from './rules/cors/response.js';

/** What one request learns of its bucket's CORS rules, for the headers of its response. */
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
   * For the refusal of a request that has not come far enough to be let in.
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
