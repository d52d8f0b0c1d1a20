import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { BODY, segmentPath, SLO_MANIFEST } from '../../../../src/capsule/file-names.js';
import type { FoundFile, VerifiedCapsule } from '../../../../src/capsule/verify-capsule.js';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { segmentObjects, segmentsIn, type ParseManifest } from './slo.js';

/** Where the object of a capsule is written, and how. */
export interface ImportTarget {
  readonly container: string;
  readonly name: string;
  readonly overwrite: boolean;
}

export interface ImportTools {
  readonly store: SwiftAccount;
  /** The headers that clients saw, of the capsule's metadata. */
  readonly client: Readonly<Record<string, string>>;
  readonly parseManifest: ParseManifest;
  /** The capsule, on the disk. */
  readonly file: string;
  readonly nowS: number;
  readonly signal: AbortSignal;
  /** Called with the bytes that have been written, and all of them. */
  readonly onProgress: (done: number, total: number) => void;
}

/** The headers that a PUT may set; system metadata is the servers' own. */
const TAKEN =
  /^(?:content-type|content-encoding|content-disposition|x-object-manifest|x-object-meta-.{1,256})$/;
const WRITE_IDLE_MS = 2 * 60_000;

/**
 * Writes the object of a capsule. Nothing is written of a capsule that is not whole: it was verified.
 *
 * @throws ApiError unprocessable for a capsule without a body, etag_mismatch; SwiftStatusError (412
 *   where the object is there and may not be overwritten)
 */
export async function writeObject(
  capsule: VerifiedCapsule,
  target: ImportTarget,
  tools: ImportTools,
): Promise<void> {
  const { object } = capsule.manifest;
  if (!object.has_body) {
    throw new ApiError(
      'unprocessable',
      'The capsule has no object body, so there is nothing to write.',
    );
  }
  const writer = new Writer(capsule, target, tools);
  await (object.kind === 'static' ? writer.large() : writer.plain());
}

/** The headers that make an object again. @param nowS - what is to be deleted before is not */
function importHeaders({ client, nowS }: ImportTools): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(client)) if (TAKEN.test(name)) headers[name] = value;
  const deleteAt = client['x-delete-at'];
  if (deleteAt !== undefined && Number(deleteAt) > nowS) headers['x-delete-at'] = deleteAt;
  return headers;
}

class Writer {
  readonly #total: number;
  #done = 0;

  constructor(
    private readonly capsule: VerifiedCapsule,
    private readonly target: ImportTarget,
    private readonly tools: ImportTools,
  ) {
    this.#total = capsule.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async plain(): Promise<void> {
    const { container, name } = this.target;
    await this.#put(this.#fileOf(BODY), container, name, {
      ...importHeaders(this.tools),
      ...this.#condition(),
    });
  }

  /** Segments go into a container of their own, as python-swiftclient has them. */
  async large(): Promise<void> {
    const { container, name } = this.target;
    const { store } = this.tools;
    const segmentBox = `${container}_segments`;
    const bytes = this.capsule.documents.get(SLO_MANIFEST) ?? Buffer.alloc(0);
    const segments = await this.tools.parseManifest(bytes);
    await this.#refuseExisting();
    await store.do([201, 202], 'PUT', { container: segmentBox });
    const sealed = this.capsule.files.find(({ path }) => path === SLO_MANIFEST)?.sha256 ?? '';
    const written = new Map<string, { readonly object: string; readonly etag: string }>();
    for (const [index, original] of [...(await segmentObjects(segments)).keys()].entries()) {
      const object = `${name}/capsule-${sealed.slice(0, 16)}/${String(index + 1).padStart(5, '0')}`;
      const etag = await this.#put(this.#fileOf(segmentPath(index + 1)), segmentBox, object, {});
      written.set(original, { object, etag });
    }
    const manifest: string[] = [];
    for await (const segment of segmentsIn(segments)) {
      if ('data' in segment) {
        manifest.push(JSON.stringify({ data: segment.data }));
        continue;
      }
      const { object = '', etag = '' } = written.get(segment.name) ?? {};
      const range = segment.range === undefined ? {} : { range: segment.range };
      const entry = { path: `/${segmentBox}/${object}`, etag, size_bytes: segment.bytes, ...range };
      manifest.push(JSON.stringify(entry));
    }
    await store.do([201], 'PUT', {
      ...{ container, object: name },
      query: { 'multipart-manifest': 'put' },
      headers: { ...importHeaders(this.tools), ...this.#condition() },
      body: `[${manifest.join(',')}]`,
      idleMs: WRITE_IDLE_MS,
    });
  }

  /** The manifest has a condition of its own, after all segments: a name that is taken is known now. */
  async #refuseExisting(): Promise<void> {
    if (this.target.overwrite) return;
    const { container, name: object } = this.target;
    const answer = await this.tools.store.send('HEAD', { container, object });
    answer.body.resume();
    if (answer.status === 200) throw new ApiError('exists', 'The object already exists.');
  }

  #condition(): Record<string, string> {
    return this.target.overwrite ? {} : { 'if-none-match': '*' };
  }

  #fileOf(path: string): FoundFile {
    const found = this.capsule.files.find((file) => file.path === path);
    if (found !== undefined) return found;
    throw new ApiError('unprocessable', `The capsule does not contain ${path}.`);
  }

  /** @returns the MD5 of what was written, which is what the store has received */
  async #put(
    { offset, bytes }: FoundFile,
    container: string,
    object: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { store, file, signal, onProgress } = this.tools;
    const md5 = createHash('md5');
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        md5.update(chunk);
        this.#done += chunk.length;
        onProgress(this.#done, this.#total);
        done(null, chunk);
      },
    });
    const source =
      bytes === 0
        ? undefined
        : createReadStream(file, { start: offset, end: offset + bytes - 1, signal });
    if (source === undefined) counted.end();
    else {
      source.on('error', (error) => counted.destroy(error));
      source.pipe(counted);
    }
    try {
      const answer = await store.do([201], 'PUT', {
        ...{ container, object, body: counted, signal, idleMs: WRITE_IDLE_MS },
        headers: { ...headers, 'content-length': String(bytes) },
      });
      const etag = md5.digest('hex');
      if (answer.headers.etag?.replaceAll('"', '') === etag) return etag;
      throw new ApiError(
        'etag_mismatch',
        'The data was corrupted on its way to the store (checksum mismatch). Try again.',
      );
    } finally {
      source?.destroy();
      counted.destroy();
    }
  }
}
