import type { Spec, SpecNode } from '../spec/schema.js';
import {
  iniWithSecrets,
  plainFile,
  renderIni,
  secretMark,
  type NodeFile,
  type Option,
} from './files.js';
import { gatewayFiles } from './gateway.js';
import type { Host } from './host.js';
import { proxyFiles } from './proxy.js';
import { storageFiles } from './storage.js';

/** A ring file, for all nodes. */
export interface RingFileOfPlan {
  readonly name: string;
  readonly file: Buffer;
}

/**
 * Every file of a node, in the order of their paths.
 *
 * @param root - what they lie below, as the node's programs see it: empty for `/`
 */
export function renderNode(
  spec: Spec,
  node: SpecNode,
  rings: readonly RingFileOfPlan[],
  root: string,
): NodeFile[] {
  const host: Host = { spec, node, root };
  const files = [
    iniWithSecrets('etc/swift/swift.conf', renderIni(swiftConf(spec))),
    ...rings.map(({ name, file }) => plainFile(`etc/swift/${name}.ring.gz`, file)),
    ...storageFiles(host),
    ...proxyFiles(host),
    ...gatewayFiles(host),
    plainFile('etc/logrotate.d/swift-deploy', logrotate(host)),
  ];
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function swiftConf({ hash, policies, tuning }: Spec): Record<string, Record<string, Option>> {
  const sections = policies.map((policy) => {
    const { index, name, aliases, type, deprecated, ec } = policy;
    const coding: Record<string, Option> =
      ec === undefined
        ? {}
        : {
            ec_type: ec.type,
            ec_num_data_fragments: ec.k,
            ec_num_parity_fragments: ec.m,
            ec_object_segment_size: ec.segment_bytes,
            ec_duplication_factor: ec.dup,
          };
    const options: Record<string, Option> = {
      name,
      ...(aliases.length === 0 ? {} : { aliases: aliases.join(', ') }),
      policy_type: type,
      ...(policy.default ? { default: 'yes' } : {}),
      ...(deprecated ? { deprecated: 'yes' } : {}),
      ...coding,
    };
    return [`storage-policy:${index}`, options] as const;
  });
  return {
    'swift-hash': {
      swift_hash_path_prefix: secretMark(hash.prefix_ref),
      swift_hash_path_suffix: secretMark(hash.suffix_ref),
    },
    'swift-constraints': tuning['swift-constraints'] ?? {},
    ...Object.fromEntries(sections),
  };
}

function logrotate({ root }: Host): string {
  return `${root}/var/log/swift/*.log ${root}/var/log/rsyncd.log ${root}/var/log/memcached.log {
	daily
	rotate 14
	missingok
	notifempty
	compress
	delaycompress
	copytruncate
}
`;
}
