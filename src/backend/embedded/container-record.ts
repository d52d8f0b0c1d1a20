import type { ContainerAcl, ContainerHead, Metadata } from '../backend.js';
import { ByteReader, ByteWriter, corrupt } from './bytes.js';

/**
 * The index's record of a container. The count and bytes of its objects change with every write and
 * have a row of their own, so that a long lifecycle document is not rewritten with each put.
 */
export interface StoredContainer {
  readonly id: number;
  readonly createdAt: number;
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
  readonly acl: ContainerAcl;
}

/** The ACL of a container that is closed to other accounts. */
export const CLOSED: ContainerAcl = { read: '', write: '' };

export interface Usage {
  objectCount: number;
  bytesUsed: number;
}

const LAYOUT = 2;
/** The layout of records without an ACL, which the first release wrote. */
const LAYOUT_WITHOUT_ACL = 1;
const USAGE_BYTES = 12;
const writer = new ByteWriter();

export function encodeContainer(container: StoredContainer): Buffer {
  return writer
    .begin()
    .uint8(LAYOUT)
    .uint48(container.id)
    .uint48(container.createdAt)
    .pairs(container.metadata)
    .pairs(container.systemMetadata)
    .text(container.acl.read)
    .text(container.acl.write)
    .take();
}

/** @throws BackendError Corrupt */
export function decodeContainer(bytes: Buffer, length: number): StoredContainer {
  const reader = new ByteReader(bytes, length);
  const layout = reader.uint8();
  if (layout !== LAYOUT && layout !== LAYOUT_WITHOUT_ACL) {
    throw corrupt('it is not a container record');
  }
  const container = {
    id: reader.uint48(),
    createdAt: reader.uint48(),
    metadata: reader.pairs(),
    systemMetadata: reader.pairs(),
    acl: layout === LAYOUT ? { read: reader.text(), write: reader.text() } : CLOSED,
  };
  reader.end();
  return container;
}

export function encodeUsage(usage: Usage): Buffer {
  return writer.begin().uint48(usage.objectCount).uint48(usage.bytesUsed).take();
}

/** @throws BackendError Corrupt */
export function decodeUsage(bytes: Buffer, length: number): Usage {
  if (length !== USAGE_BYTES) throw corrupt('it is not a usage row');
  return { objectCount: bytes.readUIntBE(0, 6), bytesUsed: bytes.readUIntBE(6, 6) };
}

export function headOf(name: string, container: StoredContainer, usage: Usage): ContainerHead {
  const { createdAt, metadata, systemMetadata, acl } = container;
  return { name, createdAt, ...usage, metadata, systemMetadata, acl };
}
