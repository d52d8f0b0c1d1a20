import type { ErasureCoding } from '../../../../src/ring/policy.js';

/** How a policy keeps objects: whole copies, or fragments of an erasure code. */
export type Protection =
  | { readonly kind: 'replication'; readonly replicas: number }
  | { readonly kind: 'erasure_coding'; readonly coding: ErasureCoding };

/** liberasurecode's header in front of each fragment of each segment. */
const FRAGMENT_HEADER_BYTES = 80;

/**
 * The bytes of a code's word: liberasurecode rounds the data of a fragment up to whole words.
 * Measured for `liberasurecode_rs_vand` with PyECLib 1.6.0; of the others, read in liberasurecode
 * 1.6.2.
 */
const WORD_BYTES: readonly (readonly [prefix: string, bytes: number])[] = [
  ['liberasurecode_rs_vand', 2],
  ['jerasure_rs_vand', 2],
  ['isa_l_', 1],
  ['flat_xor_hd_', 4],
];

/** @returns undefined for a code whose word is not known */
function wordBytes(type: string): number | undefined {
  return WORD_BYTES.find(([prefix]) => type.startsWith(prefix))?.[1];
}

/** Whether {@link fragmentBytes} is exact for a code, by its PyECLib name. */
export function isFragmentSizeExact(type: string): boolean {
  return wordBytes(type) !== undefined;
}

/** The bytes of one fragment archive on disk: of each segment, its share and a header. */
export function fragmentBytes(coding: ErasureCoding, objectBytes: number): number {
  const { segmentBytes, dataFragments, type } = coding;
  const word = wordBytes(type) ?? 1;
  const share = (bytes: number): number =>
    bytes === 0 ? 0 : word * Math.ceil(bytes / (dataFragments * word)) + FRAGMENT_HEADER_BYTES;
  return (
    Math.floor(objectBytes / segmentBytes) * share(segmentBytes) + share(objectBytes % segmentBytes)
  );
}

/** How many files an object is on the devices, each on one of its own. */
export function memberCount(protection: Protection): number {
  if (protection.kind === 'replication') return protection.replicas;
  const { dataFragments, parityFragments, duplicationFactor } = protection.coding;
  return (dataFragments + parityFragments) * duplicationFactor;
}

/** The bytes of all files of an object, without the file system's own. */
export function storedBytes(protection: Protection, objectBytes: number): number {
  const members = Math.ceil(memberCount(protection));
  return protection.kind === 'replication'
    ? members * objectBytes
    : members * fragmentBytes(protection.coding, objectBytes);
}

/**
 * How many members have to be written before a PUT is acknowledged: `quorum_size` of
 * swift/common/utils, and `ECStoragePolicy.quorum` of swift/common/storage_policy.py. A code of
 * Reed-Solomon needs one parity fragment more than data.
 */
export function writeQuorum(protection: Protection): number {
  if (protection.kind === 'replication')
    return Math.floor((Math.ceil(protection.replicas) + 1) / 2);
  const { dataFragments, duplicationFactor } = protection.coding;
  return (dataFragments + 1) * duplicationFactor;
}

/** How many different members a GET needs. */
export function readNeed(protection: Protection): number {
  return protection.kind === 'replication' ? 1 : protection.coding.dataFragments;
}

/** How many members may be lost, whichever they are, before the object is. */
export function survivedLosses(protection: Protection): number {
  if (protection.kind === 'replication') return Math.max(0, Math.floor(protection.replicas) - 1);
  const { parityFragments, duplicationFactor } = protection.coding;
  return (parityFragments + 1) * duplicationFactor - 1;
}
