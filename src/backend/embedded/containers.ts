import type {
  ContainerHead,
  ContainerInfo,
  ContainerInput,
  ContainerPage,
  ContainerQuery,
  ContainerRef,
  ContainerUpdate,
} from '../backend.js';
import { BackendError } from '../errors.js';
import type { WriteOperation } from './commit-queue.js';
import { noSuchContainer, readContainer } from './container-ids.js';
import { CLOSED, decodeContainer, encodeContainer, headOf } from './container-record.js';
import { corrupt } from './bytes.js';
import { accountPrefix, afterKey, afterPrefix, containerKey } from './keys.js';
import { patched } from '../metadata-patch.js';
import { peek, type Tables } from './tables.js';
import { readUsage } from './write-transaction.js';

export function createContainer(
  ref: ContainerRef,
  input: ContainerInput,
): WriteOperation<'created' | 'exists'> {
  const key = containerKey(ref);
  return (transaction) => {
    const { containers } = transaction.tables;
    if (peek(containers, key) !== undefined) return 'exists';
    const { metadata = {}, systemMetadata = {}, acl = CLOSED } = input;
    const id = transaction.newContainerId();
    const container = { id, createdAt: transaction.now, metadata, systemMetadata, acl };
    void containers.put(key, encodeContainer(container));
    transaction.createUsage(id);
    return 'created';
  };
}

/** @throws BackendError NoSuchContainer */
export function headContainer(tables: Tables, ref: ContainerRef): ContainerHead {
  const head = findContainer(tables, ref);
  if (head === undefined) throw noSuchContainer(ref);
  return head;
}

export function findContainer(tables: Tables, ref: ContainerRef): ContainerHead | undefined {
  const container = readContainer(tables, ref);
  if (container === undefined) return undefined;
  const usage = readUsage(tables, container.id);
  if (usage === undefined) throw corrupt('a container has no usage row');
  return headOf(ref.container, container, usage);
}

/** @throws (the operation) BackendError NoSuchContainer */
export function updateContainer(ref: ContainerRef, update: ContainerUpdate): WriteOperation<void> {
  const key = containerKey(ref);
  return ({ tables }) => {
    const row = peek(tables.containers, key);
    if (row === undefined) throw noSuchContainer(ref);
    const container = decodeContainer(row, row.length);
    const changed = {
      ...container,
      metadata: patched(container.metadata, update.metadata),
      systemMetadata: patched(container.systemMetadata, update.systemMetadata),
      acl: update.acl ?? container.acl,
    };
    void tables.containers.put(key, encodeContainer(changed));
  };
}

/** @throws (the operation) BackendError NoSuchContainer, ContainerNotEmpty */
export function deleteContainer(ref: ContainerRef): WriteOperation<void> {
  const key = containerKey(ref);
  return (transaction) => {
    const row = peek(transaction.tables.containers, key);
    if (row === undefined) throw noSuchContainer(ref);
    const { id } = decodeContainer(row, row.length);
    if (transaction.usageOf(id)?.objectCount !== 0) {
      throw new BackendError('ContainerNotEmpty', `${ref.container} holds objects`);
    }
    void transaction.tables.containers.remove(key);
    transaction.removeUsage(id);
  };
}

/** One page of an account's containers, in the byte order of their names. */
export function listContainers(
  tables: Tables,
  account: string,
  { prefix = '', marker = '', limit }: ContainerQuery,
): ContainerPage {
  const base = accountPrefix(account);
  const first = Buffer.concat([base, Buffer.from(prefix)]);
  const behind = marker === '' ? first : afterKey(Buffer.concat([base, Buffer.from(marker)]));
  const start = Buffer.compare(first, behind) > 0 ? first : behind;
  const end = afterPrefix(first);
  // One more than asked for tells whether the page is the last one.
  const rows = [...tables.containers.getRange({ start, ...(end && { end }), limit: limit + 1 })];
  const containers = rows.slice(0, limit).map(({ key, value }): ContainerInfo => {
    const { id, createdAt } = decodeContainer(value, value.length);
    const usage = readUsage(tables, id);
    if (usage === undefined) throw corrupt('a container has no usage row');
    return { name: Buffer.from(key).toString('utf8', base.length), createdAt, ...usage };
  });
  return { containers, truncated: rows.length > limit };
}
