/**
 * The rights behind links, manifests and copies on Swift: the filter asks, and the gateway says for
 * whom.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const AUTHORITY = [
  {
    name: 'authority: a requester is told with the referrer of an earlier request',
    file: 'src/s3/request/request-call.ts',
    find: `if (referrer !== undefined) return rendered(principal, \`http://\${referrer}/\`);
    let header = HEADERS.get(principal);
    if (header === undefined) {
      header = rendered(principal, undefined);`,
    replace: `let header = HEADERS.get(principal);
    if (header === undefined) {
      header = rendered(principal, referrer && \`http://\${referrer}/\`);`,
    tests: ['test/s3/request/request-call.test.ts'],
  },
  {
    name: 'authority/filter: nobody is led anywhere',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `        if self._behalf is None:
            return False`,
    replace: `        if self._behalf is None:
            return True`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: versions of all keys are those of one',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `return version is not None and version.group(1) == hex_key`,
    replace: `return version is not None`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: parts of a longer key are those of its beginning',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `hex_of(part.group(1)) == hex_key`,
    replace: `hex_of(part.group(1)).startswith(hex_key)`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: a link may say of itself that it may be followed',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `return (env.get('REMOTE_USER') == _PRE_AUTHED
                and env.get('swift.source') != _SYMLINK_SOURCE)`,
    replace: `return env.get('REMOTE_USER') == _PRE_AUTHED`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: a listing is not asked for',
    file: 'ops/swift/ringway_filter/guard.py',
    find: `return method == 'GET' or method == 'HEAD' and obj is not None`,
    replace: `return method in ('GET', 'HEAD') and obj is not None`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: a name says groups',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `or not isinstance(account, str) or ',' in user + account):`,
    replace: `or not isinstance(account, str)):`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: a key of a member opens what its user owns',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `return [group for group in groups if group not in owners]`,
    replace: `return groups`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: what keeps names reads bytes',
    file: 'ops/swift/ringway_filter/hops.py',
    find: `return (self._method == 'PUT' and env['REQUEST_METHOD'] == 'HEAD'
                    and`,
    replace: `return (self._method == 'PUT' and`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority/filter: a refusal is told as a conflict',
    file: 'ops/swift/ringway_filter/front.py',
    find: `            if trust.hops.denied:`,
    replace: `            if trust.hops is None:`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'authority: versions of another account are ours',
    file: 'src/backend/own-hops.ts',
    find: `if (first.account !== hop.account) return false;`,
    replace: ``,
    tests: ['test/backend/own-hops.test.ts'],
  },
  {
    name: 'authority: a refusal of the filter is an error of Swift',
    file: 'src/backend/swift/transport.ts',
    find: `if (isDenied) throw deniedError(\`\${method} \${path}\`);`,
    replace: ``,
    tests: ['test/backend/swift/sure-transport.test.ts'],
  },
  {
    name: 'authority: the filter is not told who asks',
    file: 'src/backend/swift/net/attempts.ts',
    find: `if (behalf !== undefined) headers.push('x-gateway-for', behalf.header);`,
    replace: `if (behalf === null) headers.push('x-gateway-for', '');`,
    tests: ['test/backend/swift/transport-info.test.ts'],
  },
  {
    name: 'authority: an older filter is believed to ask',
    file: 'src/backend/swift/object-reads.ts',
    find: `const isAsked = this.deps.limits.filter?.hopRights === true;`,
    replace: `const isAsked = this.deps.limits.filter !== undefined;`,
    tests: ['test/backend/swift/object-reads.test.ts'],
  },
  {
    name: 'authority: a copy names what a link leads to as its own source',
    file: 'src/backend/swift/object-copies.ts',
    find: `...(ledBy !== undefined && { 'x-gateway-led-by': percentEncoded(ledBy) }),`,
    replace: `...(ledBy === ref && { 'x-gateway-led-by': percentEncoded(ref) }),`,
    tests: ['test/backend/swift/object-copies.test.ts'],
  },
  {
    name: 'authority/direct: all links are followed',
    file: 'src/backend/swift/direct/direct-transport.ts',
    find: `if (ref === undefined || !isOurs(read.ref, ref)) return 'link';`,
    replace: `if (ref === undefined) return 'link';`,
    tests: ['test/backend/swift/direct/direct-transport.test.ts'],
  },
  {
    name: 'authority/direct: one segment of ours opens all others',
    file: 'src/backend/swift/direct/direct-transport.ts',
    find: `segments?.every((segment)`,
    replace: `segments?.some((segment)`,
    tests: ['test/backend/swift/direct/direct-transport.test.ts'],
  },
  {
    name: 'authority: a write goes through the link of a Swift client',
    file: 'src/s3/object/named-version.ts',
    find: `ref: isOurs ? { ...ref, ...link?.target } : ref,`,
    replace: `ref: { ...ref, ...link?.target },`,
    tests: ['test/s3/versions/foreign-pointers.test.ts'],
  },
  {
    name: 'authority: an adoption keeps what its requester may read',
    file: 'src/s3/versions/archives.ts',
    find: `return await this.backend.copyObject(ofBucket, currentRef(key), to, input);`,
    replace: `return await this.backend.copyObject(call, currentRef(key), to, { ...input, ...(ofBucket && {}) });`,
    tests: ['test/s3/versions/foreign-pointers.test.ts'],
  },
  {
    name: "authority: an upload takes what a link in its marker's place leads to",
    file: 'src/s3/multipart/upload.ts',
    find: `if (head.link === undefined) return head;`,
    replace: `return head;`,
    tests: ['test/integration/authority.test.ts'],
  },
  {
    name: 'authority: a copied stamp lets go of bytes that another object has the cold copy of',
    file: 'src/s3/cold/release.ts',
    find: `return isSame || isOurHop({ account, container, object }, ref);`,
    replace: `return isSame || account === ref.account;`,
    tests: ['test/janitor/cold.test.ts'],
  },
  {
    name: 'authority: a range beyond a dynamic manifest is a failure of Swift',
    file: 'src/backend/swift/object-reads.ts',
    find: `if (response.status !== 416 || response.headers.has('etag')) {`,
    replace: `if (response.status !== 416 || range !== undefined) {`,
    tests: ['test/backend/swift/object-reads.test.ts'],
  },
  {
    name: "authority: a client's link to nothing is a failure of the service",
    file: 'src/s3/request/failures.ts',
    find: `code === 'BrokenLink' && error.isOfClient ? 'NoSuchKey'`,
    replace: `code !== 'BrokenLink' && error.isOfClient ? 'NoSuchKey'`,
    tests: ['test/integration/authority.test.ts'],
  },
];
