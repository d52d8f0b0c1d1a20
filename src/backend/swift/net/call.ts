import type { AbortListener } from '../../../lib/cancellation.js';
import type { Connection, Exchange } from '../../../lib/http-client/connection.js';
import { TimeoutError } from '../../../lib/http-client/deadline.js';
import type { HttpPool } from '../../../lib/http-client/pool.js';
import { formatRequestHead } from '../../../lib/http-client/request-head.js';
import type { ResponseHead } from '../../../lib/http-client/response-head.js';
import { Answer, type BodyFeed } from './answer.js';
import type { AttemptErrorName, CallParameters } from './options.js';
import {
  AttemptError,
  cutError,
  isTimeout,
  unspeakable,
  type AttemptStage,
} from './retry-policy.js';

/**
 * One request at one endpoint, over a connection of its pool, until the end of the answer's body.
 * Each kind decides what is sent and when: see whole-call.ts and streamed-call.ts.
 */
export abstract class Call implements Exchange, BodyFeed, AbortListener {
  protected connection: Connection | undefined;
  protected answer: Answer | undefined;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: AttemptError) => void;
  #head = '';
  #isOver = false;

  constructor(
    private readonly pool: HttpPool,
    protected readonly call: CallParameters,
  ) {}

  /** Called once. @throws AttemptError */
  run(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { method, path, endpoint, context } = this.call;
      try {
        this.#head = formatRequestHead(method, path, this.pool.host, this.headers());
      } catch (error) {
        this.fail(unspeakable(endpoint, error));
        return;
      }
      this.pool.start(this);
      if (!this.#isOver) context?.cancellation?.addAbortListener(this);
    });
  }

  /** The call has failed, or its answer's body has ended. */
  protected get isOver(): boolean {
    return this.#isOver;
  }

  protected abstract headers(): readonly string[];
  /** Sends the head, and what belongs to it. */
  protected abstract send(connection: Connection, head: string): void;
  /** How far it came, if it fails now. */
  protected abstract stage(): AttemptStage;
  /** Nothing of the request is sent any more. */
  protected abstract stopSending(): void;
  /** No answer has come in the time that was set. */
  protected abstract onLate(): void;

  onReady(connection: Connection): void {
    // Given up while the connection was made for it.
    if (this.#isOver) {
      connection.giveBack();
      return;
    }
    this.connection = connection;
    this.send(connection, this.#head);
  }

  onContinue(): void {
    // Only a stream asks for it; else it means nothing.
  }

  onHead({ status, headers }: ResponseHead): void {
    this.answer = new Answer(status, headers, this);
    this.connection?.arm(this.call.bodyTimeoutMs);
    this.#resolve(this.answer);
  }

  onData(bytes: Buffer): boolean {
    const isWanted = this.answer?.body.push(bytes) !== false;
    // A reader may take as long as it likes.
    if (isWanted) this.connection?.arm(this.call.bodyTimeoutMs);
    else this.connection?.disarm();
    return isWanted;
  }

  onEnd(): void {
    this.answer?.body.end();
  }

  onTimeout(): void {
    if (this.answer === undefined) this.onLate();
    else this.#cut(new TimeoutError('the answer stands still'));
  }

  onError(error: Error): void {
    if (this.answer !== undefined) this.#cut(error);
    else if (isTimeout(error)) this.failed('timeout', error);
    else this.failed(this.stage() === 'unsent' ? 'connect' : 'reset', error);
  }

  resume(): void {
    this.connection?.arm(this.call.bodyTimeoutMs);
    this.connection?.resume();
  }

  abort(): void {
    this.connection?.abort();
  }

  released(): void {
    this.#finish();
  }

  aborted(reason: unknown): void {
    if (this.#isOver) return;
    if (this.answer === undefined) this.giveUp('abort', reason);
    else {
      this.connection?.abort();
      this.answer.body.fail(reason);
    }
  }

  /** Not the endpoint's fault. */
  protected giveUp(kind: 'abort' | 'body', cause: unknown): void {
    this.fail(new AttemptError('given_up', kind, this.call.endpoint, cause));
  }

  protected late(what: string): void {
    this.failed('timeout', new TimeoutError(what));
  }

  protected failed(kind: AttemptErrorName, error: Error): void {
    this.fail(new AttemptError(this.stage(), kind, this.call.endpoint, error));
  }

  /** There will be no answer. */
  protected fail(error: AttemptError): void {
    if (this.#isOver) return;
    if (this.connection === undefined) this.pool.leave(this);
    else this.connection.abort();
    this.#finish();
    this.#reject(error);
  }

  /** The answer's body breaks off. */
  #cut(error: Error): void {
    this.connection?.abort();
    this.answer?.body.fail(cutError(this.call.endpoint, error));
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.call.context?.cancellation?.removeAbortListener(this);
    this.stopSending();
    this.call.released();
  }
}
