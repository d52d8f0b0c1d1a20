import type { CopyInput, Metadata, ObjectHead } from '../../backend/backend.js';
import { resolveRange } from '../../backend/ranges.js';
import type { Call } from '../call.js';
import { withBehalf } from '../container/behalf.js';
import { openContainer } from '../container/containers.js';
import { OWN } from '../gateway/system-metadata.js';
import { LISTED } from '../listing/object-entry.js';
import { givenByGateway } from './upload.js';
import { copyManifest } from '../large/manifest-operations.js';
import { givenMetadata } from '../metadata.js';
import { isTrue, decodeName, splitObjectPath, type ObjectTarget } from '../target.js';
import { TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { givenDeleteAt, overrideAttributes, givenRepresentation } from './representation.js';
import { copyLink } from './links.js';
import { isStaticLarge, objectHeaders } from './object-headers.js';
import { checkName, copyPrecondition, replyOf, withSource } from './writing.js';
import { conditionReply, headOf } from './reading.js';
import { parseRanges } from './conditions.js';

/** `COPY` with a Destination. @throws SwiftError */
export async function copyObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { headers, target } = call;
  const destination = headers.get('destination');
  if (destination === undefined || destination === '') {
    throw new SwiftError(412, 'Destination header required');
  }
  const account = decodeName(headers.get('destination-account') ?? '') || target.account;
  const to = targetIn('Destination', account, destination);
  const sink = withBehalf({ ...call, target: to });
  checkName(sink);
  return copy(call, sink);
}

/** `PUT` with X-Copy-From. @throws SwiftError */
export async function copyTo(call: Call<ObjectTarget>): Promise<Reply> {
  const { headers, target, body } = call;
  if (body.contentLength !== 0) {
    throw new SwiftError(400, 'Copy requests require a zero byte body', TEXT);
  }
  const account = decodeName(headers.get('x-copy-from-account') ?? '') || target.account;
  const from = targetIn('X-Copy-From', account, headers.get('x-copy-from') ?? '');
  return copy(withBehalf({ ...call, target: from }), call);
}

/** @throws SwiftError 412 */
function targetIn(header: string, account: string, path: string): ObjectTarget {
  const parts = splitObjectPath(decodeName(path));
  if (parts === undefined) {
    const form = '<container name>/<object name>';
    throw new SwiftError(412, `${header} header must be of the form ${form}`);
  }
  return { kind: 'object', account, ...parts };
}

/** @param source - the same request as one of what is copied @param sink - and of the copy */
async function copy(source: Call<ObjectTarget>, sink: Call<ObjectTarget>): Promise<Reply> {
  await openContainer(source, source.target, 'read');
  await openContainer(sink, sink.target, 'write');
  const { query } = source;
  if (query.get('symlink') === 'get') {
    const copied = await copyLink(source, sink);
    if (copied !== undefined) return copied;
  }
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const copied = await copyOnce(source, sink);
    if (copied !== undefined) return copied;
  }
  throw new SwiftError(503);
}

/** The limit of attempts, for a source that other clients keep replacing. */
const ATTEMPTS_MAX = 10;

/** @returns undefined when the source was replaced after it was looked at */
async function copyOnce(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
): Promise<Reply | undefined> {
  const { query } = source;
  const head = await headOf(source);
  // Conditions are on the source, as Swift takes them.
  const conditions = { ...source, headers: sourceConditions(source) };
  const refusal = conditionReply(conditions, head, head.etag, objectHeaders(source, head));
  if (refusal !== undefined) return refusal;
  const input = await inputOf(source, sink, head);
  const manifest = query.get('multipart-manifest') === 'get' && isStaticLarge(head);
  const written = manifest
    ? await copyManifest(source, sink, head, input)
    : await copyBytes(source, sink, head, input);
  return written && withSource(written, source.target, head, input.metadata ?? head.metadata);
}

async function copyBytes(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
  head: ObjectHead,
  input: CopyInput,
): Promise<Reply | undefined> {
  const range = givenRange(source, head);
  const outcome = await sink.api.backend.copyObject(
    source.context,
    source.target,
    sink.target,
    range === undefined ? input : { ...input, range },
    copyPrecondition(sink),
  );
  if (outcome.outcome === 'source_changed') return undefined;
  return replyOf(sink, outcome);
}

/** A gateway that creates exclusively means the copy with its `If-None-Match`. */
function sourceConditions(source: Call): Call['headers'] {
  if (!source.gateway || copyPrecondition(source) === undefined) return source.headers;
  return new Map([...source.headers].filter(([name]) => name !== 'if-none-match'));
}

/** @throws SwiftError 416 */
function givenRange({ headers }: Call, head: ObjectHead): CopyInput['range'] {
  const spec = parseRanges(headers.get('range'))?.[0];
  if (spec === undefined) return undefined;
  const range = resolveRange(spec, head.size);
  if (range === 'unsatisfiable') throw new SwiftError(416);
  return range;
}

/** The source's own, and over it what the request gives; with X-Fresh-Metadata that alone. */
async function inputOf(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
  head: ObjectHead,
): Promise<CopyInput> {
  const { api, headers, gateway } = sink;
  const fresh = isTrue(headers.get('x-fresh-metadata'));
  const contentType = headers.get('content-type');
  const over = (own: Metadata, given: Metadata): Metadata => (fresh ? given : { ...own, ...given });
  const deleteAt = givenDeleteAt(headers, api.now());
  return {
    sourceEtag: head.etag,
    metadata: over(head.metadata, givenMetadata(headers, 'object', api.limits)),
    headers: over(head.headers, givenRepresentation(headers)),
    ...(await keptInside(source, head, gateway ? headers : NOTHING)),
    ...(contentType === undefined || contentType === '' ? {} : { contentType }),
    ...(deleteAt === undefined ? (fresh ? { deleteAt: null } : {}) : { deleteAt }),
  };
}

const NOTHING: Call['headers'] = new Map();

/**
 * Metadata that a gateway keeps with the bytes goes with them; the fields that a listing shows of a
 * large object, or of a whole one, are not those of its copy or of its part.
 */
async function keptInside(
  { api, context, target, headers }: Call<ObjectTarget>,
  head: ObjectHead,
  given: Call['headers'],
): Promise<Pick<CopyInput, 'systemMetadata' | 'listingAttributes'>> {
  const listed = overrideAttributes(given);
  const own = givenByGateway(given);
  if (!isStaticLarge(head) && !headers.has('range')) {
    return { systemMetadata: { ...head.systemMetadata, ...own }, listingAttributes: listed };
  }
  const ref = { ...target, ...head.link?.target };
  const { entries } = await api.backend.listObjects(context, ref, { prefix: ref.object, limit: 1 });
  const [entry] = entries;
  const shown = entry?.kind === 'object' ? entry.object.attributes : {};
  return {
    systemMetadata: { ...without(head.systemMetadata, OF_MANIFESTS), ...own },
    listingAttributes: { ...without(shown, OF_LISTINGS), ...listed },
  };
}

const OF_MANIFESTS: ReadonlySet<string> = new Set([
  OWN.manifestEtag,
  'container-update-override-etag',
  'container-update-override-size',
]);
const OF_LISTINGS: ReadonlySet<string> = new Set(Object.values(LISTED));

function without(values: Metadata, names: ReadonlySet<string>): Metadata {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}
