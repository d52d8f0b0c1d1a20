import { GatheredBytes } from '../lib/buffers/gathered-bytes.js';
import type { ByteSource } from '../lib/cancellation.js';
import type { CallContext } from './backend.js';
import { throwIfAborted } from './call-context.js';
import { BackendError } from './errors.js';

/** A body as it comes from the caller, of exactly `size` bytes or an error. */
export interface Intake {
  readonly body: Buffer | ByteSource;
  /** Undefined: the body is whole when it ends. */
  readonly size: number | undefined;
  readonly context: CallContext;
}

/** One of a known size. */
export type SizedIntake = Intake & { readonly size: number };

export function isSized(intake: Intake): intake is SizedIntake {
  return intake.size !== undefined;
}

/**
 * Finds out the size of a body that ends within `bytesMax` bytes: then it is a buffer. A longer one is
 * a stream that begins with what was read of it; whatever `use` leaves unread is let go of.
 * @throws what the body throws; the reason of the signal; as `use`
 */
export async function withSize<T>(
  intake: Intake,
  bytesMax: number,
  use: (intake: Intake) => Promise<T>,
): Promise<T> {
  const { body, context } = intake;
  if (isSized(intake)) return use(intake);
  if (Buffer.isBuffer(body)) return use({ body, size: body.length, context });
  const iterator = body[Symbol.asyncIterator]();
  try {
    const start = new GatheredBytes();
    while (start.length <= bytesMax) {
      const result = await iterator.next();
      throwIfAborted(context);
      if (result.done === true) {
        const whole = start.take();
        return await use({ body: whole, size: whole.length, context });
      }
      start.add(result.value);
    }
    return await use({ body: resumed([start.take()], iterator), size: undefined, context });
  } finally {
    // This is not awaited: it may wait for a chunk that its sender never sends. Its errors have no
    // effect any more.
    iterator.return?.().catch(() => undefined);
  }
}

async function* resumed(
  start: Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield* start.splice(0);
  for (;;) {
    const result = await rest.next();
    if (result.done === true) return;
    yield result.value;
  }
}

/**
 * The whole of a small body.
 * @throws BackendError BodyMismatch; what the body throws; the reason of the signal
 */
export async function collectBody({ body, size, context }: SizedIntake): Promise<Buffer> {
  if (Buffer.isBuffer(body)) {
    if (body.length !== size) throw bodyMismatch(size, body.length);
    return body;
  }
  const whole = Buffer.allocUnsafe(size);
  let received = 0;
  for await (const chunk of body) {
    throwIfAborted(context);
    if (received + chunk.length > size) throw bodyMismatch(size, received + chunk.length);
    chunk.copy(whole, received);
    received += chunk.length;
  }
  if (received !== size) throw bodyMismatch(size, received);
  return whole;
}

/** A body that is not of the size that was announced. */
export function bodyMismatch(announced: number, received: number): BackendError {
  const problem = received > announced ? 'is longer' : `ends after ${received} bytes`;
  return new BackendError('BodyMismatch', `the body of ${announced} bytes ${problem}`);
}
