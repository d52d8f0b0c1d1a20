/** The servers of a storage node, in the order in which they are started. */
export const STORAGE_SERVERS: readonly string[] = [
  'account-server',
  'container-server',
  'object-server',
];

/** Daemons that clean up behind the servers, and repair: stopped before, started after them. */
export const STORAGE_DAEMONS: readonly string[] = [
  'account-replicator',
  'account-auditor',
  'account-reaper',
  'container-replicator',
  'container-auditor',
  'container-updater',
  'container-sharder',
  'container-reconciler',
  'container-sync',
  'object-replicator',
  'object-reconstructor',
  'object-auditor',
  'object-updater',
  'object-expirer',
];

/** All that belongs to a storage node: no proxy, no memcached, nothing of Ringway. */
export const STORAGE_SERVICES: readonly string[] = [...STORAGE_SERVERS, ...STORAGE_DAEMONS];
