import type { Answer } from './answer.js';
import type { Endpoint } from './endpoint.js';
import type { EndpointTrust } from './endpoint-trust.js';
import type { EndpointWatch } from './endpoint-watch.js';
import type { TransportHooks, CallParameters, FilledOptions } from './options.js';
import { AttemptError, isBusy } from './retry-policy.js';
import { RunningAttempt } from './running-attempt.js';
import type { Outgoing } from './sender.js';
import type { Signer } from './signer.js';
import type { Token } from './tokens.js';
import { Upload } from './upload.js';

/** Tells the hook of each answer's `Date`, of which all in a second are one text: parsed once. */
class DateCache {
  #text = '';
  #date = NaN;

  constructor(private readonly onDate: TransportHooks['onDate']) {}

  observe(text: string | undefined, sentAt: number, receivedAt: number): void {
    if (text === undefined || this.onDate === undefined) return;
    if (text !== this.#text) {
      this.#text = text;
      this.#date = Date.parse(text);
    }
    if (!Number.isNaN(this.#date)) this.onDate(this.#date, sentAt, receivedAt);
  }
}

/** Swift appends it to its own transaction id, in its logs: so many characters of it. */
const TRANS_ID_EXTRA_CHARACTERS = 32;

/** Single attempts: what they carry beyond the request, and what they tell of the endpoint. */
export class Attempts {
  readonly #dates: DateCache;

  constructor(
    private readonly watch: EndpointWatch<Endpoint>,
    private readonly trust: EndpointTrust,
    private readonly release: (endpoint: Endpoint) => void,
    private readonly sign: Signer,
    private readonly options: FilledOptions,
  ) {
    this.#dates = new DateCache(options.onDate);
  }

  /**
   * Sends to an endpoint that was acquired; the endpoint is released at the end of the answer's
   * body.
   * @param insist see StreamedCallParameters
   */
  begin(
    endpoint: Endpoint,
    outgoing: Outgoing,
    token: Token | undefined,
    insist: boolean,
  ): RunningAttempt {
    const attempt = new RunningAttempt(outgoing);
    attempt.ended = this.#run(attempt, endpoint, outgoing, token, insist);
    return attempt;
  }

  async #run(
    attempt: RunningAttempt,
    endpoint: Endpoint,
    outgoing: Outgoing,
    token: Token | undefined,
    insist: boolean,
  ): Promise<Answer | AttemptError> {
    const sentAt = Date.now();
    const began = performance.now();
    endpoint.running.begin(attempt, began);
    let outcome: Answer | AttemptError;
    try {
      const trusted = this.#trusted(endpoint, outgoing);
      if (trusted !== undefined) await trusted;
      const call = this.#call(attempt, endpoint, outgoing, token);
      outcome = await endpoint.send(call, outgoing.body, insist);
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error;
      outcome = takenBack(attempt, endpoint, outgoing) ?? error;
    } finally {
      endpoint.running.end(attempt);
    }
    this.#record(endpoint, outgoing, outcome, performance.now() - began);
    if (!(outcome instanceof AttemptError)) {
      this.#dates.observe(outcome.headers.get('date'), sentAt, Date.now());
    }
    return outcome;
  }

  /**
   * Undefined when there is nothing to wait for, as nearly always.
   * @throws AttemptError when it is not sent to this endpoint, which is released then
   */
  #trusted(endpoint: Endpoint, { signed, probe }: Outgoing): Promise<void> | undefined {
    if (!signed || probe === true) return undefined;
    return this.trust.ensure(endpoint)?.catch((error: unknown) => {
      this.release(endpoint);
      throw new AttemptError('unsent', 'connect', endpoint.name, error);
    });
  }

  #call(
    attempt: RunningAttempt,
    endpoint: Endpoint,
    outgoing: Outgoing,
    token: Token | undefined,
  ): CallParameters {
    const { method, path, context } = outgoing;
    const headers = [...outgoing.headers];
    if (token !== undefined) headers.push('x-auth-token', token.value);
    headers.push('x-trans-id-extra', context.requestId.slice(0, TRANS_ID_EXTRA_CHARACTERS));
    if (outgoing.signed) {
      const behalf = this.options.filterSecret === undefined ? undefined : context.behalf;
      if (behalf !== undefined) headers.push('x-gateway-for', behalf.header);
      this.sign(method, path, headers);
    }
    return {
      endpoint: endpoint.name,
      method,
      path,
      headers,
      headersTimeoutMs: outgoing.headersTimeoutMs ?? this.options.headersTimeoutMs,
      bodyTimeoutMs: this.options.bodyTimeoutMs,
      context: { requestId: context.requestId, cancellation: attempt },
      released: () => {
        this.release(endpoint);
      },
    };
  }

  #record(
    endpoint: Endpoint,
    { method, body, probe }: Outgoing,
    outcome: Answer | AttemptError,
    ms: number,
  ): void {
    const failed = outcome instanceof AttemptError;
    const status = failed ? undefined : outcome.status;
    const error = failed ? outcome.kind : undefined;
    this.options.onAttempt?.({
      endpoint: endpoint.name,
      method,
      status,
      error,
      seconds: ms / 1000,
    });
    if (!failed) endpoint.running.heard(performance.now());
    if (probe === true) return;
    // One that was given up took at least so long.
    if (body === undefined && (method === 'GET' || method === 'HEAD')) {
      endpoint.health.latencies.add(ms);
    }
    if (failed) {
      if (outcome.stage === 'given_up') return;
      this.trust.doubt(endpoint);
      this.watch.failed(endpoint, outcome.message);
    } else if (isBusy(outcome.status)) {
      this.watch.failed(endpoint, `it answers ${outcome.status}`);
    } else {
      this.watch.answered(endpoint);
    }
  }
}

/** Nothing was sent of a stream that has not begun; what became of other requests is not known. */
function takenBack(
  { takenBack: reason }: RunningAttempt,
  { name }: Endpoint,
  { body }: Outgoing,
): AttemptError | undefined {
  if (reason === undefined) return undefined;
  return new AttemptError(
    body instanceof Upload ? 'body_unsent' : 'unanswered',
    'hung',
    name,
    reason,
  );
}
