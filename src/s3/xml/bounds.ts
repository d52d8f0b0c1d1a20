import { S3Error } from '../errors.js';

/** The limits of a request's document, checked before it is read as XML. */
export interface XmlBounds {
  readonly bytes: number;
  /** Elements, comments and CDATA sections. */
  readonly elements: number;
  /** The number of attributes of all elements together, declarations of namespaces included. */
  readonly attributes: number;
  /** The root is at 1. */
  readonly depth: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Declarations of namespaces and schemas at the root, and `xmlns=""` where serializers repeat it. */
const FEW_ATTRIBUTES = 32;

/** A document that says one or two words. */
const SWITCH: XmlBounds = { bytes: 4 * KIB, elements: 16, attributes: FEW_ATTRIBUTES, depth: 6 };

/**
 * The bounds of each document, by what it can be at most: the S3 API's own limits, written as
 * lengthily as XML allows, and room for indentation and for the few entries too many that have an
 * error of their own. A body beyond its bounds costs its bytes in memory and one pass over them.
 */
export const XML_BOUNDS = {
  /**
   * 10 tags of 384 UTF-16 units take 32 KiB when every character is a reference. 50 tags are few
   * enough to be told that they are too many.
   */
  ObjectTagging: { bytes: 64 * KIB, elements: 160, attributes: 96, depth: 6 },
  /** The same of 50 tags. */
  BucketTagging: { bytes: 256 * KIB, elements: 640, attributes: 256, depth: 6 },
  /** 100 grants of five elements; each grantee declares `xsi` and has a type. */
  AccessControlPolicy: { bytes: 256 * KIB, elements: 1_100, attributes: 640, depth: 6 },
  /** AWS's 64 KB; its shortest elements take 32 bytes. */
  CORSConfiguration: { bytes: 64 * KIB, elements: 2_100, attributes: 256, depth: 6 },
  /** 1000 rules of at most 1 KiB each, whose shortest elements take 26 bytes. */
  LifecycleConfiguration: { bytes: MIB, elements: 40_000, attributes: 4_096, depth: 8 },
  VersioningConfiguration: SWITCH,
  ObjectLockConfiguration: SWITCH,
  Retention: SWITCH,
  LegalHold: SWITCH,
  /** The bounds leave room for a query over the object, which has an error of its own. */
  RestoreRequest: { bytes: 16 * KIB, elements: 128, attributes: 64, depth: 10 },
  /** The bounds leave room for tags, which have an error of their own. */
  CreateBucketConfiguration: { bytes: 16 * KIB, elements: 256, attributes: 96, depth: 6 },
  /**
   * 1000 keys of 1024 bytes with version ids and conditions take 1.3 MiB; the rest is room for
   * escaped characters and indentation. An object has up to six elements.
   */
  Delete: { bytes: 2 * MIB, elements: 8_000, attributes: 2_048, depth: 6 },
  /**
   * 10,000 parts as the SDKs write them take 1.0 MB without checksums and 1.8 MB with SHA-256 each
   * (180 bytes a part). 4 MiB are 419 bytes a part: enough for indented documents with prefixed
   * names. A part has a number, an ETag and at most five checksums.
   */
  CompleteMultipartUpload: { bytes: 4 * MIB, elements: 80_100, attributes: 10_100, depth: 6 },
} as const satisfies Readonly<Record<string, XmlBounds>>;

/** The documents that requests have as bodies; where two operations differ, by operation. */
export type RequestDocument = keyof typeof XML_BOUNDS;

/** @throws S3Error `MaxMessageLengthExceeded` */
export function requireBytes(body: Buffer, { bytes }: XmlBounds): void {
  if (body.length <= bytes) return;
  throw new S3Error('MaxMessageLengthExceeded', undefined, {
    MaxMessageLengthBytes: String(bytes),
  });
}
