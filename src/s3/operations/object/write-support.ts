import type { Capabilities, WritePrecondition } from '../../../backend/backend.js';
import { S3Error } from '../../s3-error.js';

/**
 * A condition that the backend cannot decide atomically is refused: a race would be lost in
 * silence (design rule "do it or refuse it").
 *
 * @throws S3Error `NotImplemented`
 */
export function requireConditionSupport(
  precondition: WritePrecondition | undefined,
  { atomicCreate, conditionalReplace }: Capabilities,
): void {
  if (precondition === undefined) return;
  const supported = 'absent' in precondition ? atomicCreate : conditionalReplace;
  if (!supported) {
    throw new S3Error(
      'NotImplemented',
      'The storage behind this service cannot do it atomically.',
      {
        Header: 'absent' in precondition ? 'If-None-Match' : 'If-Match',
      },
    );
  }
}
