import type {
  CallContext,
  LinkInput,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { containerKey, objectKey } from './keys.js';
import { encodeObject } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { commitReplacement } from './replacements.js';

/**
 * Stores a link: a record that names its target, and no body.
 * @throws BackendError NoSuchContainer, GuardMissing, StorageFull; NameTooLong of the target too
 */
export async function putLink(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  input: LinkInput,
  precondition: WritePrecondition | undefined,
): Promise<PutOutcome> {
  const { target, size, etag, contentType, systemMetadata, guard, deleteAt } = input;
  checkNames(ref.account, target);
  await deps.space.admit(input.writeClass, 0, false);
  throwIfAborted(context);
  const attributes = input.listingAttributes;
  const described = {
    headers: undefined,
    metadata: undefined,
    systemMetadata,
    attributes,
    deleteAt,
  };
  const record = encodeObject({ size, etag, contentType, ...described, target }, 'link');
  const replacement = { ref, record, bytesUsed: 0, body: NO_BODY, precondition, guard };
  return commitReplacement(deps, { replacement, etag });
}

/** A name that no object can have would make every read fail. @throws BackendError NameTooLong */
function checkNames(account: string, { container, object }: LinkInput['target']): void {
  containerKey({ account, container });
  objectKey(0, object);
}

const NO_BODY = Buffer.alloc(0);
