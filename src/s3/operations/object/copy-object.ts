import type {
  CopyInput,
  Metadata,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../../../backend/backend.js';
import { checksumType, SYSTEM_METADATA, type StoredChecksum } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import type { SettledDocument } from '../../pending-document.js';
import {
  parseCopyDirectives,
  refuseCopyOfRange,
  refuseCopyOntoItself,
} from '../../rules/copy-directives.js';
import { requireCopyableSize, type CopySource } from '../../rules/copy-source.js';
import { parseWriteCondition } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { renderCopyObjectResult } from '../../xml/copy-object-result.js';
import { xmlDeclaration } from '../../xml/escape.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import {
  asSourceError,
  copySourceHeaders,
  findCopySource,
  readCopySource,
  type FoundSource,
} from './copy-source.js';
import { copiedChecksum, copyInputOf, readRequestedCopy } from './requested-copy.js';
import { requestedLocks } from './requested-locks.js';
import { requireStorable, storeObject } from './store-object.js';

/** A source that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

/** What one version of the source becomes. */
interface Plan {
  readonly source: FoundSource;
  readonly input: CopyInput;
  readonly checksum: StoredChecksum | undefined;
}

interface Copy {
  readonly source: CopySource;
  readonly condition: WritePrecondition | undefined;
  readonly planFor: (source: FoundSource) => Plan;
}

/**
 * CopyObject: inside the store, no byte passes through here. What was checked of the source is what
 * is copied: when it changes in between, it is checked again. The bytes of an object that was
 * uploaded in parts are written anew, which may take a while: the answer is then kept alive.
 */
export async function copyObject(context: RequestContext): Promise<S3Response> {
  const { headers, endpoint } = context;
  const source = readCopySource(context);
  const directives = parseCopyDirectives(headers);
  refuseCopyOfRange(headers);
  const requested = await readRequestedCopy(context, directives);
  refuseCopyOntoItself(source, endpoint, headers, directives);
  const condition = parseWriteCondition(headers);
  await requireStorable(context, condition);
  const locks = await requestedLocks(context);

  const planFor = (found: FoundSource): Plan => {
    const { head } = found;
    requireCopyableSize(head.size);
    const checksum = copiedChecksum(requested, head);
    const input = copyInputOf(requested, head, checksum);
    const systemMetadata = { ...input.systemMetadata, ...locks };
    return { source: found, input: { ...input, systemMetadata }, checksum };
  };
  const plan = planFor(await findCopySource(context, source));
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...(await expirationOf(context, plan))],
    pending: {
      declaration: xmlDeclaration(''),
      document: carryOut(context, { source, condition, planFor }, plan),
    },
  };
}

/** The headers go first; rules count in days, so that the time of the copy may be a little off. */
function expirationOf(context: RequestContext, { source, input: { systemMetadata = {} } }: Plan) {
  const { size } = source.head;
  return expirationOfObject(context, { size, lastModified: Date.now(), systemMetadata });
}

async function carryOut(
  context: RequestContext,
  { source, condition, planFor }: Copy,
  first: Plan,
): Promise<SettledDocument> {
  let plan = first;
  const stored = await storeObject(context, {
    condition,
    write: async (ref, added, precondition) => {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const copied = await copyOnce(context, source, plan, { ref, added, precondition });
        if (copied !== 'source_changed') return copied;
        plan = planFor(await findCopySource(context, source));
      }
      throw new S3Error('OperationAborted');
    },
    describe: () => ({
      size: plan.source.head.size,
      storageClass: plan.input.systemMetadata?.[SYSTEM_METADATA.storageClass],
      checksumAlgorithm: plan.checksum?.algorithm,
      owner: plan.input.listingAttributes?.[SYSTEM_METADATA.owner],
    }),
  });
  const { checksum } = plan;
  const document = renderCopyObjectResult({
    ...stored,
    checksum: checksum && { ...checksum, type: checksumType(checksum.value) },
  });
  return { document, headers: [...stored.headers, ...copySourceHeaders(plan.source.head)] };
}

interface Target {
  readonly ref: ObjectRef;
  readonly added: Metadata;
  readonly precondition: WritePrecondition | undefined;
}

async function copyOnce(
  context: RequestContext,
  source: CopySource,
  { source: { ref: from }, input }: Plan,
  { ref, added, precondition }: Target,
): Promise<PutOutcome | 'source_changed'> {
  const { backend } = context.services;
  const systemMetadata = { ...input.systemMetadata, ...added };
  try {
    const withAdded = { ...input, systemMetadata };
    const copied = await backend.copyObject(context.call, from, ref, withAdded, precondition);
    return copied.outcome === 'source_changed' ? 'source_changed' : copied;
  } catch (error) {
    throw asSourceError(error, source);
  }
}
