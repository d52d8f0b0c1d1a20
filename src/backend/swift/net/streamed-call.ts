import type { Connection } from '../../../lib/http-client/connection.js';
import type { HttpPool } from '../../../lib/http-client/pool.js';
import type { ResponseHead } from '../../../lib/http-client/response-head.js';
import type { Answer } from './answer.js';
import { Call } from './call.js';
import type { CallParameters } from './options.js';
import type { AttemptStage } from './retry-policy.js';
import type { Upload } from './upload.js';

/**
 * One request whose body is a stream. A stream cannot be sent twice, so nothing of it is asked for
 * until Swift has said `100 Continue`, which a proxy does when the token is good, the container is
 * there, and the object servers have taken the request. Until then a stale connection, a dead
 * proxy, an expired token or a full device lead to another attempt, which the writer does not
 * notice.
 */
export interface StreamedCallParameters extends CallParameters {
  readonly upload: Upload;
  readonly continueTimeoutMs: number;
  /**
   * Whether the body is sent if no `100 Continue` arrives in time; if not, the attempt has failed.
   */
  readonly insist: boolean;
  /** Whether there was one, when it matters. */
  readonly onContinue: (came: boolean) => void;
}

/** @throws AttemptError */
export function callStreamed(pool: HttpPool, call: StreamedCallParameters): Promise<Answer> {
  return new StreamedCall(pool, call).run();
}

/** In chunks, a body that is given up never says which one is the last: nothing of it is stored. */
function framing({ size }: Upload): string[] {
  if (size === undefined) return ['transfer-encoding', 'chunked'];
  return ['content-length', String(size)];
}

const LAST_CHUNK = '0\r\n\r\n';

class StreamedCall extends Call {
  /** All of the body was handed to the connection. */
  #isWritten = false;
  #stopWaiting: (() => void) | undefined;

  constructor(
    pool: HttpPool,
    protected override readonly call: StreamedCallParameters,
  ) {
    super(pool, call);
  }

  override onContinue(): void {
    this.call.onContinue(true);
    this.#begin();
  }

  override onHead(head: ResponseHead): void {
    if (!this.#isWritten && head.status < 300) {
      this.failed('reset', new Error(`answered ${head.status} before the body was sent`));
      return;
    }
    super.onHead(head);
    // The rest of the body has no use any more.
    this.stopSending();
  }

  protected override headers(): readonly string[] {
    const { headers, upload } = this.call;
    // Lower case, because some servers match it exactly.
    return [...headers, ...framing(upload), 'expect', '100-continue'];
  }

  protected override send(connection: Connection, head: string): void {
    connection.arm(this.call.continueTimeoutMs);
    connection.send(head, false, undefined);
  }

  protected override stage(): AttemptStage {
    if (this.connection === undefined) return 'unsent';
    return this.call.upload.begun ? 'unanswered' : 'body_unsent';
  }

  protected override stopSending(): void {
    if (this.#isWritten) return;
    this.call.upload.letGo();
    this.#stopWaiting?.();
  }

  protected override onLate(): void {
    const { upload, insist, onContinue } = this.call;
    if (this.#isWritten) this.late('no answer');
    else if (upload.begun) this.late('nothing is read of the body');
    else if (!insist) this.late('no 100 Continue');
    else {
      onContinue(false);
      this.#begin();
    }
  }

  #begin(): void {
    if (this.isOver || this.answer !== undefined || this.call.upload.begun) return;
    this.#write().catch((error: unknown) => {
      if (this.answer === undefined) this.giveUp('body', error);
    });
  }

  /** A chunk is only valid until the next one is asked for, so each one is waited for. */
  async #write(): Promise<void> {
    const { upload, bodyTimeoutMs, headersTimeoutMs } = this.call;
    const { connection } = this;
    const isChunked = upload.size === undefined;
    if (connection === undefined) return;
    for (;;) {
      // The body may take as long as its writer takes, who has limits of its own.
      connection.disarm();
      const chunk = await upload.next();
      if (this.#isEnded()) return;
      if (chunk === undefined) break;
      connection.arm(bodyTimeoutMs);
      await this.#send(connection, chunk, isChunked);
      if (this.#isEnded()) return;
    }
    this.#isWritten = true;
    connection.arm(headersTimeoutMs);
    if (isChunked) connection.write([LAST_CHUNK], ignore);
    connection.endRequest();
  }

  #isEnded(): boolean {
    return this.isOver || this.answer !== undefined;
  }

  /** Resolves when the chunk is in the kernel, or never will be. */
  #send(connection: Connection, chunk: Buffer, isChunked: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#stopWaiting = resolve;
      const size = chunk.length.toString(16);
      connection.write(isChunked ? [`${size}\r\n`, chunk, '\r\n'] : [chunk], resolve);
    });
  }
}

function ignore(): void {
  // Nothing waits for it.
}
