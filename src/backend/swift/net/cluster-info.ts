import type { FilterInfo, SwiftInfo } from '../transport.js';

/**
 * What `/info` says, in the backend's terms. Middlewares that say nothing have Swift's defaults
 * (swift/common/constraints.py, swift/common/middleware/slo.py).
 */
export function parseInfo(json: string): SwiftInfo {
  const info = record(JSON.parse(json));
  const swift = record(info.swift);
  const slo = record(info.slo);
  return {
    objectNameBytesMax: number(swift.max_object_name_length, 1024),
    containerNameBytesMax: number(swift.max_container_name_length, 256),
    listingLimit: number(swift.container_listing_limit, 10_000),
    metaNameBytesMax: number(swift.max_meta_name_length, 128),
    metaValueBytesMax: number(swift.max_meta_value_length, 256),
    metaCountMax: number(swift.max_meta_count, 90),
    metaBytesMax: number(swift.max_meta_overall_size, 4096),
    headerBytesMax: number(swift.max_header_size, 8192),
    manifestSegmentsMax: number(slo.max_manifest_segments, 1000),
    manifestBytesMax: number(slo.max_manifest_size, 8 * 1024 * 1024),
    hasSymlinks: info.symlink !== undefined,
    policies: policyNames(swift.policies),
    filter: parseFilter(info.ringway),
  };
}

/**
 * What holds whichever proxy is asked: the narrowest limits, and the filter only where all have it.
 * A write whose system metadata one proxy in three drops would be worse than none.
 */
export function commonInfo(infos: readonly [SwiftInfo, ...SwiftInfo[]]): SwiftInfo {
  return infos.reduce((common, info) => {
    return {
      objectNameBytesMax: Math.min(common.objectNameBytesMax, info.objectNameBytesMax),
      containerNameBytesMax: Math.min(common.containerNameBytesMax, info.containerNameBytesMax),
      listingLimit: Math.min(common.listingLimit, info.listingLimit),
      metaNameBytesMax: Math.min(common.metaNameBytesMax, info.metaNameBytesMax),
      metaValueBytesMax: Math.min(common.metaValueBytesMax, info.metaValueBytesMax),
      metaCountMax: Math.min(common.metaCountMax, info.metaCountMax),
      metaBytesMax: Math.min(common.metaBytesMax, info.metaBytesMax),
      headerBytesMax: Math.min(common.headerBytesMax, info.headerBytesMax),
      manifestSegmentsMax: Math.min(common.manifestSegmentsMax, info.manifestSegmentsMax),
      manifestBytesMax: Math.min(common.manifestBytesMax, info.manifestBytesMax),
      hasSymlinks: common.hasSymlinks && info.hasSymlinks,
      policies: common.policies.filter((name) => info.policies.includes(name)),
      filter: commonFilter(common.filter, info.filter),
    };
  });
}

/** Proxies that count on different servers would both let a creator through. */
function commonFilter(
  one: FilterInfo | undefined,
  other: FilterInfo | undefined,
): FilterInfo | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (one.exclusiveCreate !== other.exclusiveCreate) return undefined;
  const { exclusiveDelete, ...rest } = one;
  return {
    ...rest,
    version: Math.min(one.version, other.version),
    ...(exclusiveDelete === true && other.exclusiveDelete === true && { exclusiveDelete }),
  };
}

function parseFilter(said: unknown): FilterInfo | undefined {
  if (said === undefined) return undefined;
  const { version, exclusive_create: servers, exclusive_delete: deletes } = record(said);
  return {
    version: number(version, 1),
    ...(typeof servers === 'string' && { exclusiveCreate: servers }),
    ...(deletes === true && { exclusiveDelete: true }),
  };
}

function policyNames(policies: unknown): readonly string[] {
  if (!Array.isArray(policies)) return [];
  const names = policies.map((policy: unknown) => record(policy).name);
  return names.filter((name) => typeof name === 'string');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
