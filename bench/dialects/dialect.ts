import type { WireRequest } from '../load/wire.js';

/** Features that a target may or may not have; rows say which they need. */
export type Feature =
  | 'payload-signing'
  | 'list'
  | 'multi-delete'
  | 'multipart'
  /** Buckets that keep versions. */
  | 'versions';

/** One page of a listing to ask for. */
export interface PageQuery {
  readonly bucket: string;
  readonly prefix: string;
  readonly keysMax: number;
  readonly startAfter?: string;
  /** The version of `startAfter` that a listing of versions listed last. */
  readonly versionIdMarker?: string;
  readonly delimiter?: string;
  /** All versions, where the dialect has them. */
  readonly versions?: boolean;
}

export interface ListedPage {
  /** Keys, and prefixes where a delimiter was given. */
  readonly names: readonly string[];
  /** The ids of a listing of versions, one for each name. */
  readonly versionIds: readonly string[];
}

/** A part of a multipart upload, known before it is sent. */
export interface UploadPart {
  readonly number: number;
  readonly body: Buffer;
  readonly etag: string;
}

/** The requests of a multipart upload, which name what the first one's answer says. */
export interface MultipartDialect {
  create(bucket: string, key: string): WireRequest;
  /** @param created body of the answer to `create` */
  uploadId(created: Buffer): string;
  part(bucket: string, key: string, uploadId: string, part: UploadPart): WireRequest;
  complete(
    bucket: string,
    key: string,
    uploadId: string,
    parts: readonly UploadPart[],
  ): WireRequest;
  /** A page of at most 1000 parts behind this number. */
  listParts(
    bucket: string,
    key: string,
    uploadId: string,
    after: number,
    check: (body: Buffer) => string | undefined,
  ): WireRequest;
}

/**
 * How a kind of server is spoken to. Every request comes ready for the wire, signed with the time
 * of now: to be used within 15 minutes.
 */
export interface Dialect {
  readonly endpoint: string;
  readonly features: ReadonlySet<Feature>;
  /** Creates a bucket; an existing one is no error. */
  createBucket(bucket: string): WireRequest;
  deleteBucket(bucket: string): WireRequest;
  /** @param signed whether the signature covers the body's hash, where there is a signature */
  put(bucket: string, key: string, body: Buffer, signed: boolean): WireRequest;
  get(bucket: string, key: string, body: Buffer, range?: ByteRange): WireRequest;
  head(bucket: string, key: string, bytes: number): WireRequest;
  delete(bucket: string, key: string): WireRequest;
  /** @param check of the body; {@link readPage} tells what is in it */
  list(query: PageQuery, check?: (body: Buffer) => string | undefined): WireRequest;
  readPage(body: Buffer): ListedPage;
  multiDelete(bucket: string, keys: readonly DeletedKey[]): WireRequest;
  readonly multipart: MultipartDialect;
  enableVersions(bucket: string): WireRequest;
}

/** A range of a body: `end` is behind the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface DeletedKey {
  readonly key: string;
  readonly versionId?: string;
}

/** How to open a dialect, in a form that crosses to another process. */
export type DialectSettings =
  | {
      readonly kind: 's3';
      readonly endpoint: string;
      readonly accessKey: string;
      readonly secretKey: string;
      readonly region: string;
      /** Features that this server is known to lack. */
      readonly lacks: readonly Feature[];
    }
  | { readonly kind: 'swift'; readonly storageUrl: string; readonly token: string }
  | { readonly kind: 'plain'; readonly endpoint: string };

export function lackOf(feature: Feature): never {
  throw new Error(`this target has no ${feature}`);
}
