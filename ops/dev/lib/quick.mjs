/**
 * The suites of `npm test`: of every area, those that catch most of the planted bugs for their
 * time. Stages that are left out belong to `npm run test:all` alone. A name is a file of `test/`,
 * or a folder that ends with `/`.
 *
 * @type {Readonly<Record<string, 'whole' | readonly string[]>>} by stage
 */
const QUICK = {
  unit: 'whole',
  components: [
    ...named('backend/embedded', [
      'body-files',
      'commits',
      'compaction',
      'durability',
      'forged-exports',
      'full',
      'modified-times',
      'processes',
      'records',
      'recovery',
      'segments',
      'upkeep',
    ]),
    ...named('console', ['benchmark-ends']),
    ...named('console/config', ['derive']),
    ...named('console/deploy', ['moves-text']),
    ...named('console/files', [
      'bucket-size',
      'containers',
      'files',
      'limit-keys',
      'metadata',
      'outdated',
      'rights',
      's3-conditions',
      'search',
      'segment-cleanup',
      'tempurl',
      'transfers',
      'trash',
      'undo',
      'upload-races',
      'zip',
    ]),
    ...named('console/lab', ['policies', 'tombstones']),
    ...named('console/monitor', ['gateway-rules', 'logs', 'proxies', 'recon']),
    ...named('console/server', [
      'runs',
      'attacks',
      'audit',
      'client-address',
      'compute-thread',
      'jobs',
      'left-requests',
      'login-limits',
      'run-means',
      'session',
      'session-rules',
      'surfaces',
    ]),
    ...named('console/swift', ['upstream']),
    ...named('console/users', ['scripts', 'stuck']),
    ...named('deploy', ['make-plan', 'plan', 'prune', 'spec', 'state', 'this-host']),
    ...named('http', ['client-address', 'request-head', 'response', 'trusted-proxies']),
    ...named('janitor', ['expire', 'expired', 'lease']),
    ...named('ops', ['swift-filter', 'dev/no-context-spread', 'dev/stages']),
    ...named('s3/bucket', ['stale-heads']),
    ...named('s3/segments', ['cleaner']),
    ...named('s3/versions', [
      'first-version',
      'adoption',
      'costs',
      'edges',
      'foreign-pointers',
      'postponed-indexes',
      'races',
      'remove',
      'slept',
      'together',
    ]),
    ...named('supervisor', [
      'admin-token',
      'banner',
      'first-login',
      'health',
      'lifecycle',
      'log-tail',
      'metrics',
      'reload',
      'restart-policy',
    ]),
    ...named('swift-api', [
      'authority',
      'authority-of-gateways',
      'conditions',
      'golden',
      'requests',
      'tempurl',
    ]),
    ...named('telemetry', ['access-log']),
    'test/tidy/',
  ],
  contract: named('contract', ['embedded']),
  integration: [
    ...named('integration', [
      ...['buckets', 'console-s3-sharing', 'crash', 'listings', 'multipart', 'multipart-cleanup'],
      ...['npm-start', 'objects'],
    ]),
    ...named('integration/object-lock', ['retention']),
    ...named('integration/versions', ['states', 'writes']),
  ],
  'swift-api': named('integration', ['objects']),
  clients: named('clients', ['aws-sdk']),
  browser: named('browser', ['console']),
};

/** @param {string} folder of `test/` @param {readonly string[]} names */
function named(folder, names) {
  return names.map((name) => `test/${folder}/${name}.test.ts`);
}

/**
 * @param {string} stage
 * @param {string} source
 */
export function isQuick(stage, source) {
  const chosen = QUICK[stage] ?? [];
  return chosen === 'whole' || chosen.some((name) => isIn(name, source));
}

/** @param {readonly string[]} sources @returns {string[]} names of which none of them is */
export function missingFrom(sources) {
  return Object.values(QUICK)
    .flatMap((chosen) => (chosen === 'whole' ? [] : chosen))
    .filter((name) => !sources.some((source) => isIn(name, source)));
}

/** @param {string} name @param {string} source */
function isIn(name, source) {
  return source === name || (name.endsWith('/') && source.startsWith(name));
}
