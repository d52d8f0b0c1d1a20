import { PassThrough, pipeline, type Readable } from 'node:stream';
import { ApiError } from '../../server/api-error.js';
import type { Session } from '../../server/sessions.js';

/** Tabs of one session that follow a run. */
const STREAMS_PER_SESSION = 4;
/** The bytes that a slow reader may leave unread; the control service is told to wait then. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** The events of runs that browsers follow: they end with the session. */
export class RunStreams {
  readonly #open = new Map<Session, number>();

  /** @throws ApiError busy; what `begin` throws */
  async open(session: Session, begin: () => Promise<Readable>): Promise<Readable> {
    const count = this.#open.get(session) ?? 0;
    if (count >= STREAMS_PER_SESSION) {
      throw new ApiError(
        'busy',
        'Too many pages of this session are following runs. Close some and try again.',
        undefined,
        15,
      );
    }
    this.#open.set(session, count + 1);
    try {
      const events = await begin();
      const stream = new PassThrough({ highWaterMark: UNREAD_BYTES_MAX });
      const onEnd = () => stream.destroy();
      session.ended.signal.addEventListener('abort', onEnd, { once: true });
      if (session.ended.signal.aborted) stream.destroy();
      // Either end that is gone takes the other one with it.
      pipeline(events, stream, () => {
        session.ended.signal.removeEventListener('abort', onEnd);
        this.#close(session);
      });
      return stream;
    } catch (error) {
      this.#close(session);
      throw error;
    }
  }

  #close(session: Session): void {
    const left = (this.#open.get(session) ?? 1) - 1;
    if (left > 0) this.#open.set(session, left);
    else this.#open.delete(session);
  }
}
