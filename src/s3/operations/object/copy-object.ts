import type {
  CopyInput,
  CopyOutcome,
  ObjectHead,
  WritePrecondition,
} from '../../../backend/backend.js';
import { checksumType, type StoredChecksum } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { parseCopyDirectives, refuseCopyOntoItself } from '../../rules/copy-directives.js';
import { requireCopyableSize, type CopySource } from '../../rules/copy-source.js';
import { parseWriteCondition, writePreconditionFailed } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { renderCopyObjectResult } from '../../xml/copy-object-result.js';
import { xmlDeclaration } from '../../xml/escape.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import { objectOf } from '../refs.js';
import { asSourceError, copySourceRef, headCopySource, readCopySource } from './copy-source.js';
import { copiedChecksum, copyInputOf, readRequestedCopy } from './requested-copy.js';
import { requireConditionSupport } from './write-support.js';

/** A source that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

/** What one version of the source becomes. */
interface Plan {
  readonly size: number;
  readonly input: CopyInput;
  readonly checksum: StoredChecksum | undefined;
}

interface Copy {
  readonly source: CopySource;
  readonly precondition: WritePrecondition | undefined;
  readonly planFor: (head: ObjectHead) => Plan;
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
  const requested = await readRequestedCopy(context, directives);
  refuseCopyOntoItself(source, endpoint, headers, directives);
  const precondition = parseWriteCondition(headers);
  requireConditionSupport(precondition, context.services.backend.capabilities);

  const planFor = (head: ObjectHead): Plan => {
    requireCopyableSize(head.size);
    const checksum = copiedChecksum(requested, head);
    return { size: head.size, input: copyInputOf(requested, head, checksum), checksum };
  };
  const plan = planFor(await headCopySource(context, source));
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...(await expirationOf(context, plan))],
    pending: {
      declaration: xmlDeclaration(''),
      document: carryOut(context, { source, precondition, planFor }, plan),
    },
  };
}

/** The headers go first; rules count in days, so that the time of the copy may be a little off. */
function expirationOf(context: RequestContext, { size, input: { systemMetadata = {} } }: Plan) {
  return expirationOfObject(context, { size, lastModified: Date.now(), systemMetadata });
}

/** @returns the document of the answer */
async function carryOut(
  context: RequestContext,
  { source, precondition, planFor }: Copy,
  first: Plan,
): Promise<string> {
  let plan = first;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const copied = await copyOnce(context, source, plan.input, precondition);
    if (copied.outcome === 'created') return finish(context, copied, plan.checksum);
    if (copied.outcome === 'precondition_failed' && precondition !== undefined) {
      throw writePreconditionFailed(precondition);
    }
    if (copied.outcome !== 'source_changed') break;
    plan = planFor(await headCopySource(context, source));
  }
  throw new S3Error('OperationAborted');
}

async function copyOnce(
  context: RequestContext,
  source: CopySource,
  input: CopyInput,
  precondition: WritePrecondition | undefined,
): Promise<CopyOutcome> {
  const from = copySourceRef(context, source);
  try {
    const { backend } = context.services;
    return await backend.copyObject(context.call, from, objectOf(context), input, precondition);
  } catch (error) {
    throw asSourceError(error, source);
  }
}

function finish(
  context: RequestContext,
  { etag, lastModified, replacedManifest }: Extract<CopyOutcome, { outcome: 'created' }>,
  checksum: StoredChecksum | undefined,
): string {
  context.services.segments.replaced(objectOf(context), replacedManifest, context.call.requestId);
  return renderCopyObjectResult({
    etag,
    lastModified,
    checksum: checksum && { ...checksum, type: checksumType(checksum.value) },
  });
}
