import type { Capabilities, DeletePrecondition, WritePrecondition } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { type DeleteCondition } from '../rules/write-conditions.js';

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
  if (!supported) throw unsupported(precondition);
}

/** The same of a deletion. @throws S3Error `NotImplemented` */
export function requireDeleteConditionSupport(
  condition: DeleteCondition | undefined,
  { exclusiveDelete }: Capabilities,
): void {
  if (condition !== undefined && !exclusiveDelete) throw unsupported(condition);
}

/**
 * The same for a bucket with versions, where the index decides every condition. If creation is not
 * atomic, two commits on the same index may be merged.
 *
 * @throws S3Error `NotImplemented`
 */
export function requireVersionConditionSupport(
  precondition: DeletePrecondition | undefined,
  { atomicCreate }: Capabilities,
): void {
  if (precondition !== undefined && !atomicCreate) throw unsupported(precondition);
}

function unsupported(precondition: DeletePrecondition): S3Error {
  const Header = 'absent' in precondition ? 'If-None-Match' : 'If-Match';
  const message = 'The storage behind this service cannot do it atomically.';
  return new S3Error('NotImplemented', message, { Header });
}
