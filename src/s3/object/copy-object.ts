import type {
  CopyInput,
  Metadata,
  ObjectHead,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../../backend/backend.js';
import { expirationOfObject } from '../bucket/lifecycles.js';
import { S3Error } from '../errors.js';
import type { RequestContext, S3Response } from '../operation.js';
import type { SettledDocument } from '../request/pending-document.js';
import { ACL_METADATA } from '../rules/acl/stored.js';
import {
  type CopyDirectives,
  parseCopyDirectives,
  refuseCopyOfRange,
  refuseCopyOntoItself,
} from '../rules/copy-directives.js';
import { requireCopyableSize, type CopySource } from '../rules/copy-source.js';
import { readMetadataHeaders, type DescribedObject } from '../rules/metadata-headers.js';
import { parseStorageClass } from '../rules/storage-class.js';
import { parseWriteCondition } from '../rules/write-conditions.js';
import { renderCopyObjectResult } from '../xml/copy-object-result.js';
import { xmlDeclaration } from '../xml/escape.js';
import {
  checksumType,
  ownerAttribute,
  readStoredChecksum,
  SYSTEM_METADATA,
  type StoredChecksum,
} from './attributes.js';
import {
  asSourceError,
  copySourceHeaders,
  findCopySource,
  readCopySource,
  type FoundSource,
} from './copy-source.js';
import { requestedLocks } from './object-lock.js';
import {
  storageClassAttributes,
  taggingAttributes,
  requireStorable,
  storeObject,
} from './store-object.js';
import { requestedObjectAcl } from './stored-acl.js';

/** The properties of the copy that the request sets; the rest is the source's. */
interface RequestedCopy {
  /** Undefined: as the source. */
  readonly described: DescribedObject | undefined;
  readonly keepsTags: boolean;
  /** Undefined without tags, and where those of the source are kept. */
  readonly tagging: Metadata | undefined;
  readonly storageClass: Metadata | undefined;
  readonly acl: Metadata | undefined;
  /** Algorithm of the checksum that the copy is to have. */
  readonly checksumAlgorithm: string | undefined;
}

/** @throws S3Error for headers that cannot be, before the source is looked at */
async function readRequestedCopy(
  context: RequestContext,
  directives: CopyDirectives,
): Promise<RequestedCopy> {
  const { headers, services } = context;
  const keepsTags = directives.tagging === 'COPY';
  const storageClass = parseStorageClass(headers, services.settings.storageClasses);
  return {
    described: directives.metadata === 'COPY' ? undefined : readMetadataHeaders(headers),
    keepsTags,
    tagging: keepsTags ? undefined : taggingAttributes(headers),
    storageClass: storageClassAttributes(storageClass),
    acl: await requestedObjectAcl(context),
    checksumAlgorithm: headers.get('x-amz-checksum-algorithm')?.toUpperCase(),
  };
}

/**
 * The checksum goes with the bytes. One that was made of the checksums of parts says nothing of an
 * object without parts, which a copy always is.
 *
 * @throws S3Error `NotImplemented` when another is asked for: to compute it, the bytes would have
 *   to pass through here
 */
function copiedChecksum(
  { checksumAlgorithm }: RequestedCopy,
  { systemMetadata }: ObjectHead,
): StoredChecksum | undefined {
  const stored = readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum]);
  const isWhole = stored !== undefined && checksumType(stored.value) === 'FULL_OBJECT';
  const checksum = isWhole ? stored : undefined;
  if (checksumAlgorithm === undefined || checksumAlgorithm === checksum?.algorithm) return checksum;
  throw new S3Error(
    'NotImplemented',
    'A copy has the checksum of its source; another one is not computed.',
    { Header: 'x-amz-checksum-algorithm' },
  );
}

/**
 * The copy that the store makes of a source. All attributes are given, so that body and attributes
 * are of one version. Only general system metadata is copied: an ACL, for example, is not.
 *
 * @param checksum - what {@link copiedChecksum} gave
 */
function copyInputOf(
  { described, keepsTags, tagging, storageClass, acl }: RequestedCopy,
  head: ObjectHead,
  checksum: StoredChecksum | undefined,
): CopyInput {
  const { contentType, headers, metadata } = described ?? head;
  const { systemMetadata } = head;
  const tags = keepsTags ? pick(systemMetadata, SYSTEM_METADATA.tagging) : tagging;
  const sum = checksum && pick(systemMetadata, SYSTEM_METADATA.checksum);
  const listedSum = checksum && { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm };
  return {
    contentType,
    headers,
    metadata,
    systemMetadata: { ...acl, ...storageClass, ...tags, ...sum },
    listingAttributes: { ...storageClass, ...listedSum, ...ownerAttribute(acl?.[ACL_METADATA]) },
    sourceEtag: head.etag,
  };
}

function pick(metadata: Metadata, name: string): Metadata | undefined {
  const value = metadata[name];
  return value === undefined ? undefined : { [name]: value };
}

/** A source that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

/** The copy that one version of the source becomes. */
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
 * CopyObject: inside the store, no byte passes through here. The very source that was checked is
 * copied: when it changes in between, it is checked again. The bytes of an object that was uploaded
 * in parts are written anew, which may take a while: the answer is then kept alive.
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
  { source: named, condition, planFor }: Copy,
  first: Plan,
): Promise<SettledDocument> {
  let plan = first;
  const stored = await storeObject(context, {
    condition,
    write: async (ref, added, precondition) => {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const copied = await copyOnce(context, named, plan, { ref, added, precondition });
        if (copied !== 'source_changed') return copied;
        plan = planFor(await findCopySource(context, named));
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
  const ofSource = await copySourceHeaders(context, named, plan.source.head);
  return { document, headers: [...stored.headers, ...ofSource] };
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
