import type { ByteSource } from '../lib/cancellation.js';
import type { CallContext } from './backend.js';
import { throwIfAborted } from './call-context.js';
import { BackendError } from './errors.js';

/** A body as it comes from the caller, of exactly `size` bytes or an error. */
export interface Intake {
  readonly body: Buffer | ByteSource;
  readonly size: number;
  readonly context: CallContext;
}

/**
 * The whole of a small body.
 * @throws BackendError BodyMismatch; what the body throws; the reason of the signal
 */
export async function collectBody({ body, size, context }: Intake): Promise<Buffer> {
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
