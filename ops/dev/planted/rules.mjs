/**
 * What S3 requests are decided by: conditions, locks, ACLs, lifecycles, limits.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const RULES = [
  {
    name: 's3/rules: If-Range takes any later date',
    file: 'src/s3/rules/conditions.ts',
    find: `return date === wholeSeconds(current.lastModified);`,
    replace: `return date >= wholeSeconds(current.lastModified);`,
    tests: ['test/s3/rules/conditions.test.ts'],
  },
  {
    name: 's3/rules: If-Match does not silence If-Unmodified-Since',
    file: 'src/s3/rules/conditions.ts',
    find: `} else if (modifiedSince(headers.get('if-unmodified-since'), current) === true) {`,
    replace: `} if (modifiedSince(headers.get('if-unmodified-since'), current) === true) {`,
    tests: ['test/s3/rules/conditions.test.ts'],
  },
  {
    name: 's3/rules: a condition that writes do not know is ignored',
    file: 'src/s3/rules/write-conditions.ts',
    find: `if (headers.has(header)) throw unsupported(name);
  }
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');`,
    replace: `}
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');`,
    tests: ['test/s3/rules/write-conditions.test.ts'],
  },
  {
    name: 's3/rules: a range that ends before it begins counts',
    file: 'src/s3/rules/ranges.ts',
    find: `return last < first ? undefined : { first, last };`,
    replace: `return { first, last };`,
    tests: ['test/s3/rules/ranges.test.ts'],
  },
  {
    name: 's3/rules: a continuation token may be damaged',
    file: 'src/s3/rules/continuation-token.ts',
    find: `bytes.readUInt32BE(1) !== crc32(marker) ||`,
    replace: ``,
    tests: ['test/s3/rules/continuation-token.test.ts'],
  },
  {
    name: 's3/lock: a legal hold does not keep from deletion',
    file: 'src/s3/rules/object-lock/decision.ts',
    find: `if (legalHold === 'ON') return denied('legal-hold');`,
    replace: ``,
    tests: ['test/s3/rules/object-lock/decision.test.ts'],
  },
  {
    name: 's3/lock: COMPLIANCE can be shortened with the bypass',
    file: 'src/s3/rules/object-lock/decision.ts',
    find: `shorten: 'deny',`,
    replace: `shorten: 'with-bypass',`,
    tests: ['test/s3/rules/object-lock/decision.test.ts'],
  },
  {
    name: 's3/lock: a wrong clock may end COMPLIANCE by deletion',
    file: 'src/s3/rules/object-lock/decision.ts',
    find: `if (clock === 'unhealthy' && isCompliance(existing)) return denied('clock-unhealthy');`,
    replace: ``,
    tests: ['test/s3/rules/object-lock/decision.test.ts'],
  },
  {
    name: 's3/lock: anybody may bypass GOVERNANCE',
    file: 'src/s3/rules/object-lock/decision.ts',
    find: `return permitted ? 'permitted' : 'not-permitted';`,
    replace: `return 'permitted';`,
    tests: [
      'test/s3/rules/object-lock/decision.test.ts',
      'test/integration/object-lock/retention.test.ts',
    ],
  },
  {
    name: 's3/acl: FULL_CONTROL makes an owner',
    file: 'src/s3/rules/acl/decision.ts',
    find: `if (access === 'OWNER') return false;`,
    replace: ``,
    tests: ['test/s3/rules/acl/decision.test.ts'],
  },
  {
    name: 's3/acl: FULL_CONTROL grants nothing',
    file: 'src/s3/rules/acl/decision.ts',
    find: `(permission === access || permission === 'FULL_CONTROL') && includes(grantee, requester)`,
    replace: `permission === access && includes(grantee, requester)`,
    tests: ['test/s3/rules/acl/decision.test.ts'],
  },
  {
    name: 's3/acl: who may not list is told what is not there',
    file: 'src/s3/request/authorisation.ts',
    find: `if (!this.#bucketAllows(container, 'READ')) throw denied();`,
    replace: ``,
    tests: ['test/s3/request/authorisation.test.ts'],
  },
  {
    name: 's3/acl: an object that replaced the one that was admitted is served',
    file: 'src/s3/request/authorisation.ts',
    find: `if (DECISIONS.get(context)?.admits(found) === false) throw denied();`,
    replace: ``,
    tests: ['test/s3/object/replaced-objects.test.ts'],
  },
  {
    name: 's3/lifecycle: what is due now waits',
    file: 'src/s3/rules/lifecycle/evaluate.ts',
    find: `scheduled !== undefined && scheduled.at <= now`,
    replace: `scheduled !== undefined && scheduled.at < now`,
    tests: ['test/s3/rules/lifecycle/'],
  },
  {
    name: 's3/lifecycle: one newer version too many stays',
    file: 'src/s3/rules/lifecycle/evaluate.ts',
    find: `version.newerNoncurrentVersions < (action.newerNoncurrentVersions ?? 0)`,
    replace: `version.newerNoncurrentVersions <= (action.newerNoncurrentVersions ?? 0)`,
    tests: ['test/s3/rules/lifecycle/'],
  },
  {
    name: 's3/lifecycle: one of the tags of a filter is enough',
    file: 'src/s3/rules/lifecycle/filter.ts',
    find: `filter.tags.every(({ key, value })`,
    replace: `filter.tags.some(({ key, value })`,
    tests: ['test/s3/rules/lifecycle/'],
  },
  {
    name: 's3/lifecycle: a delete marker goes although versions are behind it',
    file: 'src/s3/rules/lifecycle/evaluate.ts',
    find: `if (marker.noncurrentVersions > 0) return undefined;`,
    replace: ``,
    tests: ['test/s3/rules/lifecycle/'],
  },
  {
    name: 's3/cors: a pattern overlaps itself',
    file: 'src/s3/rules/cors/match.ts',
    find: `text.length >= pattern.length - 1 &&`,
    replace: ``,
    tests: ['test/s3/rules/cors/cors.test.ts'],
  },
  {
    name: 's3/cors: one header that is allowed lets in all',
    file: 'src/s3/rules/cors/match.ts',
    find: `request.requestedHeaders.every((header)`,
    replace: `request.requestedHeaders.some((header)`,
    tests: ['test/s3/rules/cors/cors.test.ts'],
  },
  {
    name: 's3/tagging: an eleventh tag is taken',
    file: 'src/s3/rules/tagging.ts',
    find: `{ object: 10, bucket: 50 }`,
    replace: `{ object: 11, bucket: 50 }`,
    tests: ['test/s3/rules/tagging.test.ts'],
  },
  {
    name: 's3/multipart: small parts may stand in the middle',
    file: 'src/s3/rules/complete-rules.ts',
    find: `if (part.size < PART_BYTES_MIN && index < parts.length - 1) throw entityTooSmall(part);`,
    replace: ``,
    tests: ['test/s3/rules/complete-rules.test.ts'],
  },
  {
    name: 's3/multipart: a part number may come twice',
    file: 'src/s3/rules/complete-rules.ts',
    find: `if (partNumber <= previous) throw new S3Error('InvalidPartOrder');`,
    replace: `if (partNumber < previous) throw new S3Error('InvalidPartOrder');`,
    tests: ['test/s3/rules/complete-rules.test.ts'],
  },
  {
    name: 's3/multipart: the ETag of parts is that of their texts',
    file: 'src/s3/rules/multipart-etag.ts',
    find: `hash.update(bytes);`,
    replace: `hash.update(etag);`,
    tests: ['test/s3/rules/small-rules.test.ts', 'test/integration/multipart.test.ts'],
  },
  {
    name: 's3/multipart: checksums of other algorithms are compared',
    file: 'src/s3/rules/complete-rules.ts',
    find: `requested.algorithm === uploaded?.algorithm && requested.value === uploaded.value`,
    replace: `requested.value === uploaded?.value`,
    tests: ['test/s3/rules/complete-rules.test.ts'],
  },
  {
    name: 's3/metadata: 4 KiB are taken',
    file: 'src/s3/rules/metadata-headers.ts',
    find: `const METADATA_BYTES_MAX = 2048;`,
    replace: `const METADATA_BYTES_MAX = 4096;`,
    tests: ['test/s3/rules/metadata-headers.test.ts'],
  },
  {
    name: 's3/buckets: a name may look like an address',
    file: 'src/s3/rules/bucket-name.ts',
    find: `if (!isDnsShaped(name) || looksLikeIpAddress(name)) return false;`,
    replace: `if (!isDnsShaped(name)) return false;`,
    tests: ['test/s3/rules/bucket-name.test.ts'],
  },
  {
    name: 's3/copy: an unmodified source is copied against If-None-Match',
    file: 'src/s3/rules/copy-conditions.ts',
    find: `throw failed(conditions.has('if-none-match') ? 'if-none-match' : 'if-modified-since');`,
    replace: `return;`,
    tests: ['test/s3/rules/copy-rules.test.ts'],
  },
];
