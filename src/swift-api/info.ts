import type { Api } from './call.js';
import { WIRE_VERSION } from './gateway/signature.js';
import { POLICY } from './limits.js';
import type { Reply } from './reply.js';
import { ALLOWED_DIGESTS, METHODS } from './tempurl/parameters.js';

/** `GET /info`: what this server can do, in the words of Swift's middlewares. */
export function infoReply({ limits, gatewaySecrets, s3apiInfo }: Api, version: string): Reply {
  const info = {
    swift: {
      version,
      policies: [{ name: POLICY, aliases: POLICY, default: true }],
      allow_account_management: false,
      account_autocreate: true,
      max_file_size: limits.fileBytesMax,
      max_meta_name_length: limits.metaNameBytesMax,
      max_meta_value_length: limits.metaValueBytesMax,
      max_meta_count: limits.metaCountMax,
      max_meta_overall_size: limits.metaBytesMax,
      max_header_size: 8192,
      max_object_name_length: limits.objectNameBytesMax,
      container_listing_limit: limits.listingLimit,
      account_listing_limit: limits.listingLimit,
      max_account_name_length: limits.accountNameBytesMax,
      max_container_name_length: limits.containerNameBytesMax,
      extra_header_count: 0,
    },
    slo: {
      max_manifest_segments: limits.manifestSegmentsMax,
      max_manifest_size: limits.manifestBytesMax,
      yield_frequency: Math.round(limits.heartbeatMs / 1000),
      min_segment_size: 1,
      allow_async_delete: false,
    },
    symlink: { symloop_max: 1, static_links: true },
    tempurl: {
      methods: METHODS,
      incoming_remove_headers: ['x-timestamp'],
      incoming_allow_headers: [],
      outgoing_remove_headers: ['x-object-meta-*'],
      outgoing_allow_headers: ['x-object-meta-public-*'],
      allowed_digests: ALLOWED_DIGESTS,
      deprecated_digests: [],
    },
    bulk_delete: {
      max_deletes_per_request: limits.bulkDeletesMax,
      max_failed_deletes: limits.bulkFailuresMax,
    },
    tempauth: { account_acls: false },
    // No cluster says this of itself.
    ringway_store: { embedded: true, whole_headers: true },
    ...(s3apiInfo === undefined ? {} : { s3api: s3apiInfo }),
    ...(gatewaySecrets.length > 0
      ? {
          ringway: {
            version: WIRE_VERSION,
            exclusive_delete: true,
            chunked_bodies: true,
            hop_rights: true,
          },
        }
      : {}),
  };
  return {
    status: 200,
    headers: [['Content-Type', 'application/json; charset=UTF-8']],
    body: JSON.stringify(info),
  };
}
