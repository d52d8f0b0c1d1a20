import { encodeUriComponentAws } from '../../lib/uri.js';
import type {
  CallContext,
  LinkInput,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { deleteAtHeaders } from './expiry-headers.js';
import type { Guards } from './guards.js';
import { listingHeaders } from './listing-entry.js';
import { EMPTY_MD5 } from './md5.js';
import type { ObjectLooks } from './object-looks.js';
import { creationHeaders, readPutAnswer, refuseEtagCondition, timeOfPut } from './put-answer.js';
import type { ReadParts } from './read-parts.js';
import { putHeaders } from './stored-object.js';
import type { RequestHeaders } from './transport.js';
import { unlessBusy, whileBusy } from './while-busy.js';

/** Stores links, as symlinks of Swift's. */
export class LinkPuts {
  constructor(
    private readonly parts: ReadParts,
    private readonly looks: ObjectLooks,
    private readonly guards: Guards,
  ) {}

  /**
   * @throws BackendError NoSuchContainer, GuardMissing, StorageFull; Unsupported for a link to
   *   itself, for a cluster without symlinks, and for a precondition on an ETag; Unavailable and
   *   Timeout, when nobody knows what became of it
   */
  async put(
    context: CallContext,
    ref: ObjectRef,
    input: LinkInput,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome> {
    refuseEtagCondition(ref, precondition);
    this.#requireLinks(ref, input);
    const [replacedManifest] = await Promise.all([
      this.looks.manifest(context, ref),
      this.guards.check(context, input.guard),
    ]);
    throwIfAborted(context);
    const headers = { ...this.#describe(input), ...creationHeaders(precondition) };
    const repeatable = precondition === undefined && input.guard === undefined;
    const body = Buffer.alloc(0);
    const request = { context, method: 'PUT', ...ref, headers, body, repeatable } as const;
    const response = await whileBusy(context, ref, () =>
      unlessBusy(this.parts.transport.request(request)),
    );
    const answer = await readPutAnswer(ref, response, precondition);
    if (answer !== 'created') return { outcome: answer };
    const lastModified = await timeOfPut(this.looks, context, ref, response.headers);
    await this.guards.consume(context, input.guard, ref);
    const created = { outcome: 'created', etag: input.etag, lastModified } as const;
    return replacedManifest === undefined ? created : { ...created, replacedManifest };
  }

  #requireLinks({ container, object }: ObjectRef, { target }: LinkInput): void {
    if (!this.parts.limits.hasSymlinks) {
      throw new BackendError('Unsupported', 'the cluster has no symlinks');
    }
    if (target.container !== container || target.object !== object) return;
    throw new BackendError('Unsupported', `${container}/${object} cannot be a link to itself`);
  }

  /** Its ETag is in its metadata whatever it looks like: Swift's own is that of no bytes. */
  #describe(input: LinkInput): RequestHeaders {
    const { contentType, systemMetadata, etag, size, listingAttributes: attributes } = input;
    const { container, object } = input.target;
    return {
      ...putHeaders({ contentType, systemMetadata, etag }, this.parts.limits),
      ...listingHeaders({ md5: EMPTY_MD5, etag, attributes, size }),
      ...deleteAtHeaders(input.deleteAt),
      'x-symlink-target': `${encodeUriComponentAws(container)}/${encodeUriComponentAws(object)}`,
    };
  }
}
