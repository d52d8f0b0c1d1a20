import {
  request as requestHttp,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { Answer, type BodyFeed } from './answer.js';
import {
  AttemptError,
  cutError,
  TimeoutError,
  unspeakable,
  type AttemptStage,
} from './retry-policy.js';
import type { CallParameters } from './options.js';
import { Deadline } from './deadline.js';
import type { Upload } from './upload.js';
import { receivedHeaders } from './wire.js';

/**
 * One request whose body is a stream. A stream cannot be sent twice, so nothing of it is asked for
 * until Swift has said `100 Continue`, which a proxy does when the token is good, the container is
 * there, and the object servers have taken the request. Until then a stale connection, a dead
 * proxy, an expired token or a full device lead to another attempt, which the writer does not
 * notice. undici takes `100 Continue` for an error, so these go over node:http.
 */
export interface StreamedCallParameters extends CallParameters {
  readonly agent: Agent;
  readonly url: URL;
  readonly upload: Upload;
  readonly connectTimeoutMs: number;
  readonly continueTimeoutMs: number;
  /**
   * Whether the body is sent if no `100 Continue` arrives in time; if not, the attempt has failed.
   */
  readonly insist: boolean;
  /** Whether there was one, when it matters. */
  readonly onContinue: (came: boolean) => void;
}

export function callStreamed(call: StreamedCallParameters): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let streamed: StreamedCall;
    try {
      streamed = new StreamedCall(call, resolve, reject);
    } catch (error) {
      call.released();
      reject(unspeakable(call.endpoint, error));
      return;
    }
    streamed.listen();
  });
}

/** In chunks, a body that is given up never says which one is the last: nothing of it is stored. */
function framing({ size }: Upload): string[] {
  if (size === undefined) return ['transfer-encoding', 'chunked'];
  return ['content-length', String(size)];
}

class StreamedCall implements BodyFeed {
  readonly #request: ClientRequest;
  readonly #deadline = new Deadline();
  #incoming: IncomingMessage | undefined;
  #answer: Answer | undefined;
  #connected = false;
  #continued = false;
  #written = false;
  #over = false;
  #stopWriting: (() => void) | undefined;

  /** @throws TypeError when it cannot be said in HTTP */
  constructor(
    private readonly call: StreamedCallParameters,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: AttemptError) => void,
  ) {
    const { url, agent, method, path, headers } = call;
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    this.#request = request({
      agent,
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      method,
      path,
      headers: [
        'host',
        url.host,
        ...headers,
        ...framing(call.upload),
        // Lower case, because some servers match it exactly.
        'expect',
        '100-continue',
      ],
    });
  }

  listen(): void {
    const { connectTimeoutMs, context } = this.call;
    this.#deadline.arm(connectTimeoutMs, () => {
      this.#timeout('no connection');
    });
    this.#request
      .on('socket', (socket) => {
        if (socket.connecting) {
          const event = this.call.url.protocol === 'https:' ? 'secureConnect' : 'connect';
          socket.once(event, () => {
            this.#asked();
          });
        } else this.#asked();
      })
      .on('continue', () => {
        this.#continued = true;
        this.call.onContinue(true);
        this.#begin();
      })
      .on('response', (incoming) => {
        this.#answered(incoming);
      })
      .on('error', (error) => {
        this.#failed(error);
      });
    const signal = context?.cancellation?.signal;
    if (signal === undefined) return;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  resume(): void {
    this.#watchBody();
    this.#incoming?.resume();
  }

  abort(): void {
    this.#request.destroy();
  }

  released(): void {
    this.#finish();
    // What was announced and not sent keeps the connection from being used again.
    if (!this.#written) this.#request.destroy();
    this.call.released();
  }

  #asked(): void {
    this.#connected = true;
    if (this.#continued || this.#answer !== undefined) return;
    this.#deadline.arm(this.call.continueTimeoutMs, () => {
      if (!this.call.insist) {
        this.#timeout('no 100 Continue');
        return;
      }
      this.call.onContinue(false);
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#over || this.call.upload.begun) return;
    this.#write().catch((error: unknown) => {
      if (this.#answer === undefined) this.#giveUp('body', error);
    });
  }

  /** A chunk is only valid until the next one is asked for, so each one is waited for. */
  async #write(): Promise<void> {
    const { upload, bodyTimeoutMs, headersTimeoutMs } = this.call;
    for (;;) {
      // The body may take as long as its writer takes, who has limits of its own.
      this.#deadline.clear();
      const chunk = await upload.next();
      if (this.#ended()) return;
      if (chunk === undefined) break;
      this.#deadline.arm(bodyTimeoutMs, () => {
        this.#timeout('nothing is read of the body');
      });
      await this.#send(chunk);
      if (this.#ended()) return;
    }
    this.#written = true;
    this.#deadline.arm(headersTimeoutMs, () => {
      this.#timeout('no answer');
    });
    this.#request.end();
  }

  #ended(): boolean {
    const ended = this.#over || this.#answer !== undefined;
    if (ended) this.call.upload.letGo();
    return ended;
  }

  /** Resolves when the chunk is in the kernel, or never will be. */
  #send(chunk: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#stopWriting = resolve;
      this.#request.write(chunk, () => {
        resolve();
      });
    });
  }

  #answered(incoming: IncomingMessage): void {
    const { endpoint } = this.call;
    const status = incoming.statusCode ?? 0;
    if (!this.#written && status < 300) {
      this.#failed(new Error(`answered ${status} before the body was sent`));
      return;
    }
    this.#incoming = incoming;
    this.#answer = new Answer(status, receivedHeaders(incoming.headers), this);
    const { body } = this.#answer;
    this.#watchBody();
    incoming
      .on('data', (chunk: Buffer) => {
        if (body.push(chunk)) this.#watchBody();
        else {
          this.#deadline.clear();
          incoming.pause();
        }
      })
      .on('end', () => {
        body.end();
      })
      .on('error', (error) => {
        body.fail(cutError(endpoint, error));
      });
    this.#stopWriting?.();
    this.resolve(this.#answer);
  }

  #watchBody(): void {
    const { endpoint, bodyTimeoutMs } = this.call;
    this.#deadline.arm(bodyTimeoutMs, () => {
      this.#answer?.body.fail(cutError(endpoint, new TimeoutError('the answer stands still')));
      this.#request.destroy();
    });
  }

  readonly #abort = (): void => {
    const reason: unknown = this.call.context?.cancellation?.signal.reason;
    if (this.#answer === undefined) this.#giveUp('abort', reason);
    else {
      this.#answer.body.fail(reason);
      this.#request.destroy();
    }
  };

  #giveUp(kind: 'abort' | 'body', cause: unknown): void {
    this.#fail(new AttemptError('given_up', kind, this.call.endpoint, cause));
  }

  #timeout(what: string): void {
    this.#failed(new TimeoutError(what));
  }

  #failed(error: Error): void {
    // The answer's body is told by its own stream.
    if (this.#answer !== undefined) return;
    const timeout = error instanceof TimeoutError;
    const kind = timeout ? 'timeout' : this.#connected ? 'reset' : 'connect';
    this.#fail(new AttemptError(this.#stage(), kind, this.call.endpoint, error));
  }

  #stage(): AttemptStage {
    if (!this.#connected) return 'unsent';
    return this.call.upload.begun ? 'unanswered' : 'body_unsent';
  }

  #fail(error: AttemptError): void {
    if (this.#over) return;
    this.#finish();
    this.#request.destroy();
    this.#stopWriting?.();
    this.call.upload.letGo();
    this.call.released();
    this.reject(error);
  }

  #finish(): void {
    this.#over = true;
    this.#deadline.clear();
    this.call.context?.cancellation?.signal.removeEventListener('abort', this.#abort);
  }
}
