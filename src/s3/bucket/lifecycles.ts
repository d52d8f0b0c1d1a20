import type { CallContext, ContainerRef, Metadata, ObjectHead } from '../../backend/backend.js';
import type { HeaderList } from '../../http/exchange.js';
import { andThen, type MaybePromise } from '../../lib/promises.js';
import { S3Error } from '../errors.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { type RequestContext, containerOf } from '../operation.js';
import type { LifecycleObject } from '../rules/lifecycle/actions.js';
import type { LifecycleConfiguration } from '../rules/lifecycle/configuration.js';
import { abortOf, expirationOf } from '../rules/lifecycle/evaluate.js';
import { abortHeaders, expirationHeaders } from '../rules/lifecycle/headers.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';
import { decodeTags } from '../rules/tagging.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import type { DocumentParser } from '../xml-pool/documents.js';
import { parseLifecycleConfiguration } from '../xml/lifecycle-configuration.js';
import { bucketVersioning, decodeConfiguration, storedConfiguration } from './configuration.js';

/**
 * The rules in a container's system metadata, read here and now; undefined when it has none.
 * @throws S3Error `InternalError` when what is stored cannot be read
 */
export function storedLifecycle(systemMetadata: Metadata): LifecycleConfiguration | undefined {
  const stored = storedConfiguration(systemMetadata, 'lifecycle');
  if (stored === undefined) return undefined;
  try {
    return parseLifecycleConfiguration(decodeConfiguration(stored));
  } catch (cause) {
    throw new S3Error('InternalError', undefined, {}, { cause });
  }
}

/**
 * The same where others wait for the event loop: a thousand rules would keep it busy for 50 ms.
 * @param document - as it is stored
 * @throws S3Error `InternalError` when it cannot be read; `ServiceUnavailable`
 */
export async function readStoredLifecycle(
  documents: DocumentParser,
  document: Buffer,
): Promise<LifecycleConfiguration> {
  try {
    return await documents.parse('StoredLifecycle', document);
  } catch (cause) {
    if (cause instanceof S3Error && cause.code === 'ServiceUnavailable') throw cause;
    throw new S3Error('InternalError', undefined, {}, { cause });
  }
}

/**
 * How long a bucket is believed without looking: in that time a change is not seen in the headers of
 * answers by other processes than the one that made it. The janitor does not read here.
 */
const FRESH_MS = 5_000;
/**
 * The limit of all kept documents, in characters as stored; each counts at least
 * {@link ENTRY_WEIGHT}.
 */
const WEIGHT_MAX = 8 * 1024 * 1024;
/** The weight of an entry without rules, names included. */
const ENTRY_WEIGHT = 512;

/** The facts about a bucket that headers of answers tell. */
interface Facts {
  readonly configuration: LifecycleConfiguration | undefined;
  /** Versioning is enabled or suspended. */
  readonly keepsVersions: boolean;
}

interface Entry extends Facts {
  readonly stored: string | undefined;
  /** The time of reading, by {@link BucketLifecycles}'s clock. */
  readonly readAt: number;
}

/** The part of the backend that is asked. */
interface ContainerReader {
  headContainer(
    context: CallContext,
    ref: ContainerRef,
  ): Promise<{ readonly systemMetadata: Metadata }>;
}

type Answer = LifecycleConfiguration | undefined;

/**
 * The rules of the buckets that a listener serves, for `x-amz-expiration`, and whether they keep
 * versions, for `x-amz-version-id` of objects from before that. Both stand in the bucket's
 * container, which on Swift is a round trip away: so each bucket is looked at once in
 * {@link FRESH_MS}, and not once a request. Entries are bounded; the longest kept goes first.
 */
export class BucketLifecycles {
  readonly #entries = new Map<string, Entry>();
  readonly #reads = new Map<string, Promise<Facts>>();
  #weight = 0;
  /** Rules that this process has changed; what was read meanwhile may be the former ones. */
  #changes = 0;

  constructor(
    private readonly backend: ContainerReader,
    private readonly documents: DocumentParser,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @returns a promise only when the bucket has to be looked at; it rejects as `headContainer`, and
   *   with S3Error `InternalError` when what is stored cannot be read
   */
  of(call: CallContext, ref: ContainerRef): MaybePromise<Answer> {
    return andThen(this.#facts(call, ref), ({ configuration }) => configuration);
  }

  /** Whether versioning is enabled or suspended. @returns and rejects as {@link of} */
  keepsVersions(call: CallContext, ref: ContainerRef): MaybePromise<boolean> {
    return andThen(this.#facts(call, ref), ({ keepsVersions }) => keepsVersions);
  }

  #facts(call: CallContext, ref: ContainerRef): MaybePromise<Facts> {
    const key = keyOf(ref);
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.now() - entry.readAt < FRESH_MS) return entry;
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const read = this.#read(call, ref).finally(() => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    });
    this.#reads.set(key, read);
    return read;
  }

  /** Forgets a bucket after a change by this process. */
  forget(ref: ContainerRef): void {
    const key = keyOf(ref);
    this.#changes += 1;
    this.#reads.delete(key);
    this.#drop(key);
  }

  /** Buckets that are kept. */
  get size(): number {
    return this.#entries.size;
  }

  async #read({ requestId }: CallContext, ref: ContainerRef): Promise<Facts> {
    const readAt = this.now();
    const changes = this.#changes;
    // The request's signal is left out: other requests may wait for the same answer.
    const { systemMetadata } = await this.backend.headContainer({ requestId }, ref);
    const stored = storedConfiguration(systemMetadata, 'lifecycle');
    const former = this.#entries.get(keyOf(ref));
    const configuration =
      former?.stored === stored
        ? former?.configuration
        : stored === undefined
          ? undefined
          : await readStoredLifecycle(this.documents, decodeConfiguration(stored));
    const keepsVersions = bucketVersioning(systemMetadata) !== 'unversioned';
    const facts = { configuration, keepsVersions };
    if (changes === this.#changes) this.#keep(keyOf(ref), { ...facts, stored, readAt });
    return facts;
  }

  #keep(key: string, entry: Entry): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#weight += weightOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= WEIGHT_MAX) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= weightOf(entry);
  }
}

function weightOf({ stored = '' }: Entry): number {
  return ENTRY_WEIGHT + stored.length;
}

/** Neither accounts nor buckets have a slash. */
function keyOf({ account, container }: ContainerRef): string {
  return `${account}/${container}`;
}

const NO_TAGS: ReadonlyMap<string, string> = new Map();

/**
 * An object as lifecycle rules see it. Tags that cannot be read are none: a rule that asks for one
 * does not meet it then, so that nothing is deleted for damaged metadata.
 */
export function lifecycleObjectOf(
  key: string,
  {
    size,
    lastModified,
    systemMetadata,
  }: Pick<ObjectHead, 'size' | 'lastModified' | 'systemMetadata'>,
): LifecycleObject {
  const tagging = systemMetadata[SYSTEM_METADATA.tagging];
  return {
    key,
    size,
    lastModified,
    tags: tagging === undefined ? NO_TAGS : tagMap(tagging),
    storageClass: systemMetadata[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
  };
}

function tagMap(text: string): ReadonlyMap<string, string> {
  return new Map(decodeTags(text)?.map(({ key, value }) => [key, value]));
}

const NONE: HeaderList = [];

/**
 * `x-amz-expiration` of an object that was read or written: at once while the rules are known.
 *
 * Headers that tell what the bucket's lifecycle rules will do. They only inform: when the rules
 * cannot be read, what the request is for is answered without them.
 */
export function expirationOfObject(
  context: RequestContext,
  object: Pick<ObjectHead, 'size' | 'lastModified' | 'systemMetadata'>,
): HeaderList | Promise<HeaderList> {
  return headersBy(context, (rules) => {
    const described = lifecycleObjectOf(context.endpoint.key, object);
    return expirationHeaders(expirationOf(rules, described));
  });
}

/**
 * A header with the version id of an object that is no version: `null` in a bucket that keeps versions
 * by now, and none in others.
 */
export function nullVersionHeader(
  { services, call }: RequestContext,
  name: string,
  ref: ContainerRef,
): MaybePromise<HeaderList> {
  const header = (keepsVersions: boolean): HeaderList =>
    keepsVersions ? [[name, NULL_VERSION_ID]] : NONE;
  const found = services.lifecycles.keepsVersions(call, ref);
  return found instanceof Promise ? found.then(header).catch(() => NONE) : header(found);
}

/** `x-amz-abort-date` of an open upload. @param initiatedAt - milliseconds since the epoch */
export function abortDateOfUpload(
  context: RequestContext,
  initiatedAt: number,
): HeaderList | Promise<HeaderList> {
  return headersBy(context, (rules) => {
    return abortHeaders(abortOf(rules, { key: context.endpoint.key, initiatedAt }));
  });
}

function headersBy(
  context: RequestContext,
  headersOf: (rules: LifecycleConfiguration) => HeaderList,
): HeaderList | Promise<HeaderList> {
  const found = context.services.lifecycles.of(context.call, containerOf(context));
  const headers = (rules: LifecycleConfiguration | undefined): HeaderList =>
    rules === undefined ? NONE : headersOf(rules);
  if (found instanceof Promise) return found.then(headers).catch(() => NONE);
  try {
    return headers(found);
  } catch {
    return NONE;
  }
}
