import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SwiftAccount, SwiftRequest } from '../../../console/swift/account.js';
import { SwiftStatusError } from '../../../console/swift/errors.js';
import type { SwiftQuery } from '../../../console/swift/path.js';

type Headers = Readonly<Record<string, string>>;

/** An object of the fake: `segments` make it a static large one. */
export interface FakeObject {
  readonly body: string;
  readonly etag: string;
  readonly headers: Headers;
  readonly writtenAt: number;
  readonly segments?: readonly { readonly container: string; readonly object: string }[];
}

/** A request as it arrives, before anything was done. */
export interface FakeCall {
  readonly method: string;
  readonly container: string;
  readonly object: string | undefined;
  readonly query: SwiftQuery;
  readonly headers: Headers;
}

/** Content that is nowhere any more. */
export interface Loss {
  readonly body: string;
  readonly key: string;
  readonly by: string;
}

const ANSWERED = new Set(['etag', 'content-type', 'last-modified', 'x-delete-at']);

/**
 * Swift in memory, for what the console does with objects. By default it takes conditions as the
 * embedded store does: `Overwrite: F` of a copy, and `If-Match` of a deletion.
 */
export class FakeSwift {
  readonly containers = new Map<string, Record<string, string>>();
  readonly objects = new Map<string, FakeObject>();
  readonly losses: Loss[] = [];
  /** Contents in whose place clients have written others, one copy of them at least. */
  readonly uploadedOver = new Set<string>();
  readonly calls: FakeCall[] = [];
  /** Called for each request: what it awaits happens before. */
  before: (call: FakeCall) => Promise<void> | void = () => undefined;
  /** The entries of a listing of versions, behind a name and a version. */
  versions: (marker: unknown, version: unknown) => readonly object[] = () => [];
  #writes = 0;

  constructor(private readonly options: { readonly ignoresConditions?: boolean } = {}) {}

  get account(): SwiftAccount {
    const read = async (statuses: readonly number[], method: string, request: SwiftRequest) => {
      const { status, headers, body } = await this.#answer(method, request);
      if (!statuses.includes(status)) throw new SwiftStatusError(status, '');
      return { answer: { status, headers, body: Readable.from([body]) }, body: Buffer.from(body) };
    };
    const part = async (...given: Parameters<typeof read>) => (await read(...given)).answer;
    return { name: 'AUTH_test', read, do: part, expect: part } as unknown as SwiftAccount;
  }

  /** Writes as a client does that knows no condition. */
  put(container: string, object: string, body: string, headers: Headers = {}): void {
    const etag = createHash('md5').update(body).digest('hex');
    this.#set(`${container}/${object}`, { body, etag, headers, writtenAt: 0 }, 'upload');
  }

  putLarge(container: string, object: string, segments: FakeObject['segments'] = []): void {
    const body = segments.map(({ object: name }) => name).join();
    const etag = createHash('md5').update(body).digest('hex');
    this.#set(
      `${container}/${object}`,
      { body, etag, headers: {}, writtenAt: 0, segments },
      'upload',
    );
  }

  bodies(): string[] {
    return [...this.objects.values()].map(({ body }) => body);
  }

  #set(key: string, made: FakeObject | undefined, by: string): void {
    const former = this.objects.get(key);
    if (made === undefined) this.objects.delete(key);
    else this.objects.set(key, { ...made, writtenAt: (this.#writes += 1) });
    if (former !== undefined && by === 'upload') this.uploadedOver.add(former.body);
    if (former === undefined || this.bodies().includes(former.body)) return;
    this.losses.push({ body: former.body, key, by });
  }

  async #answer(method: string, request: SwiftRequest) {
    const { container = '', object, query = {}, headers = {} } = request;
    const call = { method, container, object, query, headers };
    this.calls.push(call);
    await this.before(call);
    request.signal?.throwIfAborted();
    const [status, answer, body = ''] =
      object === undefined ? this.#onContainer(call) : this.#onObject(call, object, request);
    return { status, headers: answer, body };
  }

  #onContainer({ method, container, query, headers }: FakeCall): [number, Headers, string?] {
    if (container === '') {
      const names = [...this.containers.keys()].filter((name) => name > String(query.marker ?? ''));
      return [200, {}, JSON.stringify(names.sort().map((name) => ({ name })))];
    }
    const known = this.containers.get(container);
    if (method === 'PUT') {
      this.containers.set(container, { ...known, ...headers });
      return [201, {}];
    }
    if (known === undefined) return [404, {}];
    if (method === 'POST') Object.assign(known, headers);
    if (method !== 'GET') return [204, { ...known }];
    if ('versions' in query) {
      return [200, {}, JSON.stringify(this.versions(query.marker, query.version_marker))];
    }
    const prefix = `${container}/${String(query.prefix ?? '')}`;
    const marker = `${container}/${String(query.marker ?? '')}`;
    const rows = [...this.objects]
      .filter(([key]) => key.startsWith(prefix) && (query.marker === undefined || key > marker))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { body, etag, segments }]) => ({
        name: key.slice(container.length + 1),
        bytes: body.length,
        hash: etag,
        content_type: 'text/plain',
        last_modified: '2026-01-01T00:00:00.000000',
        ...(segments === undefined ? {} : { slo_etag: `"${etag}"` }),
      }));
    return [200, {}, JSON.stringify(rows)];
  }

  #onObject(call: FakeCall, object: string, request: SwiftRequest): [number, Headers, string?] {
    const { method, container, headers, query } = call;
    const key = `${container}/${object}`;
    const found = this.objects.get(key);
    if (!this.containers.has(container)) return [404, {}];
    if (method === 'PUT') {
      if (headers['if-none-match'] === '*' && found !== undefined) return [412, {}];
      this.put(container, object, typeof request.body === 'string' ? request.body : '', headers);
      return [201, {}];
    }
    if (found === undefined) return [404, {}];
    const match = headers['if-match'];
    const isOther =
      match !== undefined && !match.includes(`"${found.etag}"`) && match !== found.etag;
    if (method === 'DELETE') {
      if (isOther && this.options.ignoresConditions !== true) return [412, {}];
      this.#set(key, undefined, 'delete');
      return [204, {}];
    }
    if (method === 'POST') {
      this.objects.set(key, { ...found, headers });
      return [202, {}];
    }
    if (isOther) return [412, {}];
    if (method === 'COPY') return this.#copy(found, headers);
    const own = Object.entries(found.headers).filter(
      ([name]) => ANSWERED.has(name) || name.startsWith('x-object-meta-'),
    );
    const large = found.segments === undefined ? {} : { 'x-static-large-object': 'True' };
    const answer = {
      ...Object.fromEntries(own),
      ...large,
      etag: found.etag,
      'content-length': String(found.body.length),
      'x-timestamp': String(found.writtenAt),
    };
    if (query['multipart-manifest'] !== 'get' || found.segments === undefined) {
      return [200, answer, method === 'GET' ? found.body : ''];
    }
    const names = found.segments.map((one) => ({ name: `/${one.container}/${one.object}` }));
    return [200, answer, method === 'GET' ? JSON.stringify(names) : ''];
  }

  #copy(found: FakeObject, headers: Headers): [number, Headers] {
    const key = decodeURIComponent(headers.destination ?? '').replace(/^\//, '');
    if (!this.containers.has(key.split('/')[0] ?? '')) return [404, {}];
    const isNew = headers.overwrite === 'F' && this.options.ignoresConditions !== true;
    if (isNew && this.objects.has(key)) return [412, {}];
    const isFresh = headers['x-fresh-metadata'] === 'true';
    this.#set(
      key,
      { ...found, headers: { ...(isFresh ? {} : found.headers), ...headers } },
      'copy',
    );
    return [201, {}];
  }
}
