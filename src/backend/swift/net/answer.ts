import { BackendError } from '../../errors.js';
import type { SwiftResponse } from '../transport.js';
import { AnswerBody, type BodyFeed } from './answer-body.js';

/** An answer whose head is there, and whose body is being fed. */
export class Answer implements SwiftResponse {
  readonly body: AnswerBody;

  constructor(
    readonly status: number,
    readonly headers: ReadonlyMap<string, string>,
    feed: BodyFeed,
  ) {
    const length = headers.get('content-length');
    this.body = new AnswerBody(feed, length === undefined ? undefined : Number(length));
  }

  async text(bytesMax: number): Promise<string> {
    const text = await this.body.text(bytesMax);
    if (text !== undefined) return text;
    throw new BackendError('Corrupt', `an answer of more than ${bytesMax} bytes`);
  }

  cancel(): void {
    this.body.cancel();
  }
}
