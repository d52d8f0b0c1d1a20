import type {
  Backend,
  CallContext,
  ContainerHead,
  ContainerRef,
  ObjectRef,
} from '../backend/backend.js';
import type { ClockHealth } from '../clock/reading.js';
import type { DigestFactory } from '../digest/body-digest.js';
import type { HeaderList, HeaderMap } from '../http/exchange.js';
import { ScratchBytes } from '../lib/buffers/scratch-memory.js';
import type { ByteSource } from '../lib/cancellation.js';
import type { RequestPath } from '../telemetry/stage-metrics.js';
import type { Payload, PayloadOptions } from './auth/payload-plan.js';
import type { Principal } from './auth/principal.js';
import type { BucketLifecycles } from './bucket/lifecycles.js';
import type { ColdTier } from './cold/restorer.js';
import type { Endpoint } from './endpoint/endpoint.js';
import type { S3Error } from './errors.js';
import type { PageName, PageParameters } from './pages/index.js';
import type { ListedBucket, PageSource } from './pages/page-source.js';
import type { PendingDocument } from './request/pending-document.js';
import type { Requirement } from './rules/acl/decision.js';
import { accountName, canonicalId } from './rules/acl/requester.js';
import type { HeaderFamily } from './rules/unsupported-headers.js';
import type { SegmentCleaning } from './segments/cleaner.js';
import { BrokenKeys } from './versions/listing/broken-keys.js';
import type { VersionedKeys } from './versions/versioned-keys.js';
import type { PageRenderer } from './xml-pool/page-renderer.js';
import type { DocumentParser } from './xml-pool/documents.js';
import type { Document } from './xml/document-bytes.js';
import { userOwner, type Owner } from './xml/owner.js';

/** The services that every operation may use; one set per listener. */
export interface Services {
  readonly backend: Backend;
  readonly settings: S3Settings;
  /** Hashes bytes that do not come through a payload. */
  readonly digests: DigestFactory;
  /** Reads the request bodies that may be large. */
  readonly documents: DocumentParser;
  /** Makes the pages of listings. */
  readonly pages: PageRenderer;
  /** The buckets' lifecycle rules, a few seconds old at most. */
  readonly lifecycles: BucketLifecycles;
  /** Gets parts that may not be referred to any more. */
  readonly segments: SegmentCleaning;
  readonly cold: ColdTier;
  readonly versions: VersionedKeys;
  /** Whether the ends of retentions can be told: SPEC.md 3.3. */
  readonly clock: ClockHealth;
}

/** The part of the configuration that the protocol depends on. */
interface S3Settings {
  /** The region that signatures must name. */
  readonly region: string;
  /** The answer to `?location`; `us-east-1` is written as an empty element, as AWS does. */
  readonly location: string;
  /** Accepted values of `x-amz-storage-class`. */
  readonly storageClasses: readonly string[];
}

/** How fresh the head of a bucket's container has to be. */
export interface BucketFreshness {
  /** It is the newest that the store has, and not one that a listener has kept. */
  readonly newest?: boolean | undefined;
  /** It was read by this request at most so many milliseconds ago. Default: at any time. */
  readonly ageMsMax?: number | undefined;
}

/** One authenticated and authorised request. */
export interface RequestContext {
  readonly services: Services;
  readonly endpoint: Endpoint;
  /** The request's headers, and those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  readonly principal: Principal;
  /**
   * The resource as the client addressed it, without the query: what proxies in front say of host
   * and scheme counts when they are trusted. E.g. `https://s3.example.com/bucket/a%2Fb`.
   */
  readonly url: string;
  /** Goes with every call to the backend. */
  readonly call: CallContext;
  /**
   * The bucket's container, looked up when it is first asked for, and once per request; again for who
   * wants a fresher one, which all see from then on.
   * @throws BackendError NoSuchContainer
   */
  containerHead(freshness?: BucketFreshness): Promise<ContainerHead>;
  /** The verified body; at most once per request. */
  openPayload(options?: PayloadOptions): Payload;
}

/** The answer of an operation; the pipeline adds the headers that every response carries. */
export interface S3Response {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body?: string | Buffer | ByteSource | undefined;
  /** Needed with a stream, and with HEAD, where it announces the length of what GET would send. */
  readonly contentLength?: number | undefined;
  /** Instead of a body: a document that may take its time. */
  readonly pending?: PendingDocument | undefined;
  /** Failures that the body tells of although the status is a success: for the log. */
  readonly failures?: readonly S3Error[] | undefined;
}

/** @throws S3Error, BackendError: the pipeline turns both into the error document */
export type Operation = (context: RequestContext) => S3Response | Promise<S3Response>;

/** The row of an operation in the table of operations.ts. */
export interface OperationFacts {
  /** Undefined for an operation that this release does not carry out. */
  readonly handler: Operation | undefined;
  /** The permissions that the requester has to have, all of them, in this order. */
  readonly needs: readonly Requirement[];
  /**
   * Its weight for admission, in requests of one object: by its cost for the event loop and the
   * store.
   */
  readonly weight: number;
  /** Under which the times of its stages are counted. */
  readonly path: RequestPath;
  /** Whether it accepts the parameter `versionId`. */
  readonly takesVersionId: boolean;
  /** Whether it is refused on stores without `systemMetadata`: see rules/protected-metadata.ts. */
  readonly needsProtectedMetadata: boolean;
  /** Families of headers that it reads, and that others refuse: see rules/unsupported-headers.ts. */
  readonly reads: readonly HeaderFamily[];
}

/** Where a request's bucket lies: buckets are containers of the signer's account. */
export function containerOf({ principal, endpoint }: RequestContext): ContainerRef {
  return { account: principal.account, container: endpoint.bucket };
}

export function objectOf({ principal, endpoint }: RequestContext): ObjectRef {
  return { account: principal.account, container: endpoint.bucket, object: endpoint.key };
}

/**
 * The owner shown for listed objects without an ACL of their own. An owner of the account sees its
 * own id, the one that grants name: users look it up in ListBuckets, as with AWS. Other users see
 * the account.
 */
export function ownerOf({ principal }: RequestContext): Owner {
  return userOwner(
    principal.role === 'owner' ? canonicalId(principal) : accountName(principal.account),
  );
}

/** A success whose body is an XML document. */
export function xmlResponse(document: Document, headers: HeaderList = []): S3Response {
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...headers],
    body: document,
    contentLength: document instanceof ScratchBytes ? document.length : undefined,
  };
}

/** A page of a listing, read and rendered where its size wants it. @throws as `PageRenderer.render` */
export async function pageResponse<Name extends PageName>(
  context: RequestContext,
  name: Name,
  parameters: PageParameters<Name>,
  headers?: HeaderList,
): Promise<S3Response> {
  const { call, services } = context;
  const { backend, pages, versions } = services;
  const broken = new BrokenKeys();
  const source: PageSource = {
    backend,
    call,
    readIndex: (ofCall, key) => broken.reading(key, versions.readIndex(ofCall, key)),
    repairLink: (ofCall, key) => broken.repairing(key, () => versions.repairLink(ofCall, key)),
  };
  const page = xmlResponse(await pages.render(name, source, parameters), headers);
  return { ...page, failures: broken.failures };
}

/** The bucket that a request lists. */
export function listedBucket(context: RequestContext): ListedBucket {
  const { account, container: bucket } = containerOf(context);
  return { account, bucket };
}
