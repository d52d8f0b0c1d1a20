import { bodyMismatch, type Intake } from '../body-intake.js';
import { throwIfAborted } from '../call-context.js';

/**
 * A body whose last byte is held back until its source has ended where it should and `atEnd` is
 * done. Swift stores nothing of a PUT that ends before its Content-Length, so whatever fails until
 * then, or is not as it has to be, has no effect.
 *
 * @param intake - of one byte or more
 * @param atEnd - called once, when all bytes are there; what it gives is sent behind them
 * @throws BackendError BodyMismatch; what the body or `atEnd` throws; the reason of the signal
 */
export async function* heldBody(
  { body, size, context }: Intake,
  atEnd: () => Promise<Buffer | undefined>,
): AsyncGenerator<Buffer> {
  // Of its own: the source may use the chunk's memory again before the byte is sent.
  const last = Buffer.allocUnsafe(1);
  let received = 0;
  for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
    throwIfAborted(context);
    received += chunk.length;
    if (received > size) throw bodyMismatch(size, received);
    if (chunk.length === 0) continue;
    if (received < size) {
      yield chunk;
      continue;
    }
    chunk.copy(last, 0, chunk.length - 1);
    if (chunk.length > 1) yield chunk.subarray(0, -1);
  }
  if (received < size) throw bodyMismatch(size, received);
  throwIfAborted(context);
  const trailer = await atEnd();
  yield trailer === undefined ? last : Buffer.concat([last, trailer]);
}
