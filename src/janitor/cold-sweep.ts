import { throwIfAborted } from '../backend/call-context.js';
import { ColdError } from '../cold/cold-error.js';
import type { ColdLocation } from '../cold/cold-backend.js';
import { isReferenced } from '../s3/cold/references.js';
import type { ColdSettings } from './cold-settings.js';
import type { PassContext } from './pass-context.js';
import { placeOf } from './place.js';

/**
 * Finds the cold copies that no object has its bytes in any more: of objects that were deleted or
 * overwritten. A cold backend that is away costs nothing but this sweep.
 */
export async function sweepCold(pass: PassContext, cold: ColdSettings): Promise<void> {
  const before = pass.now() - cold.sweepAgeMs;
  try {
    for await (const { location, writtenAt } of cold.backend.list(pass.account)) {
      throwIfAborted(pass.call);
      if (writtenAt <= before) await look(pass, cold, location);
    }
  } catch (error) {
    if (!(error instanceof ColdError)) throw error;
    pass.unreadable('the cold backend', error);
  }
}

async function look(pass: PassContext, cold: ColdSettings, location: ColdLocation): Promise<void> {
  try {
    const copy = await cold.backend.find(location);
    pass.looked(1);
    if (copy === undefined) return;
    const { backend, call } = pass;
    if (await isReferenced({ backend, call, classes: cold.classes }, copy)) return;
    const { account, container, object, size, lastModified } = copy;
    const target = { account, ...placeOf(container, object), size, lastModified };
    await pass.executor.carryOut({ action: 'discard', ...target, location });
  } catch (error) {
    // A damaged copy is left for people to look at.
    if (!(error instanceof ColdError) || error.code !== 'Corrupt') throw error;
    pass.unreadable(`cold copy ${location.id}`, error);
  }
}
