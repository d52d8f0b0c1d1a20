/** One request of a conversation that is held with Swift and with our own Swift API. */
export interface Turn {
  readonly method: string;
  /** Below the account, encoded, with its query: `c/name`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Swift's listings and counts follow its writes: asked again until they have. */
  readonly isLate?: true;
  /** Where ours differs, and docs/store-api.md says so: left out of the comparison. */
  readonly without?: readonly string[];
}

type More = Omit<Turn, 'method' | 'path' | 'body'>;

const put = (path: string, body = '', more: More = {}): Turn => ({
  method: 'PUT',
  path,
  body,
  ...more,
});
const get = (path: string, more: More = {}): Turn => ({ method: 'GET', path, ...more });
const head = (path: string, more: More = {}): Turn => ({ method: 'HEAD', path, ...more });
const post = (path: string, headers: Turn['headers'] = {}, body = ''): Turn => ({
  method: 'POST',
  path,
  body,
  headers,
});
const remove = (path: string, more: More = {}): Turn => ({ method: 'DELETE', path, ...more });
const copy = (path: string, headers: Turn['headers'] = {}): Turn => ({
  method: 'COPY',
  path,
  headers,
});
const list = (query: string, container = 'c'): Turn =>
  get(`${container}?${query}`, { isLate: true });

const manifest = (parts: readonly object[]): string => JSON.stringify(parts);

const CONTAINERS: readonly Turn[] = [
  head('c'),
  get('c'),
  put('c'),
  put('c'),
  put('c', '', { headers: { 'x-container-meta-colour': 'red', 'x-container-read': '.r:*' } }),
  head('c'),
  post('c', { 'x-container-meta-colour': 'blue', 'x-container-write': 'test:tester2' }),
  post('c', { 'x-container-read': '.x:y' }),
  post('c', { 'x-container-meta-toolong': 'v'.repeat(257) }),
  post('c', { 'x-remove-container-meta-colour': 'x', 'x-remove-container-read': 'x' }),
  head('c'),
  put('n'.repeat(257)),
  post('absent', { 'x-container-meta-a': 'b' }),
  remove('absent'),
  get('c?format=json'),
  get('c', { headers: { accept: 'text/plain' } }),
  get('c?limit=10001'),
  get('c?limit=abc'),
];

const OBJECTS: readonly Turn[] = [
  put('c/a', 'hello'),
  put('absent/a', 'hello'),
  put('c/type', 'x', { headers: { 'content-type': 'image/png', 'x-object-meta-one': '1' } }),
  put('c/guess.txt', 'x'),
  put('c/bad', 'hello', { headers: { etag: '00000000000000000000000000000000' } }),
  put('c/good', 'hello', { headers: { etag: '5d41402abc4b2a76b9719d911017c592' } }),
  put('c/a', 'again', { headers: { 'if-none-match': '*' } }),
  put('c/a', 'again', { headers: { 'if-none-match': 'abc' } }),
  put(`c/${'n'.repeat(1025)}`, 'x'),
  put('c/meta', 'x', { headers: { [`x-object-meta-${'n'.repeat(129)}`]: '1' } }),
  put('c/meta', 'x', { headers: { 'x-object-meta-a': 'v'.repeat(257) } }),
  put('c/sub/dir/%E2%98%83', 'snow'),
  put('c/sub/other', 'x'),
  put('c/a%2F..%2Fb', 'dots'),
  put('c/%00', 'nul'),
  put('c/%FF', 'not utf-8'),
  put('c/disposed', 'x', {
    headers: { 'content-disposition': 'attachment', 'content-encoding': 'identity' },
  }),
  get('c/a'),
  head('c/a'),
  head('c/type'),
  get('c/disposed'),
  get('c/sub/dir/%E2%98%83'),
  get('c/a%2F..%2Fb'),
  get('c/absent'),
  head('c/absent'),
  get('c/a', { headers: { range: 'bytes=1-2' } }),
  get('c/a', { headers: { range: 'bytes=-2' } }),
  get('c/a', { headers: { range: 'bytes=3-' } }),
  get('c/a', { headers: { range: 'bytes=9-' } }),
  get('c/a', { headers: { range: 'bytes=2-1' } }),
  get('c/a', { headers: { range: 'lines=1-2' } }),
  get('c/a', { headers: { 'if-match': '"5d41402abc4b2a76b9719d911017c592"' } }),
  get('c/a', { headers: { 'if-match': 'other' } }),
  get('c/a', { headers: { 'if-none-match': '5d41402abc4b2a76b9719d911017c592' } }),
  get('c/a', { headers: { 'if-modified-since': 'Fri, 01 Jan 2038 00:00:00 GMT' } }),
  get('c/a', { headers: { 'if-unmodified-since': 'Thu, 01 Jan 1998 00:00:00 GMT' } }),
  post('c/a', { 'x-object-meta-two': '2', 'content-type': 'text/css' }),
  head('c/a'),
  post('c/a', {}),
  head('c/a'),
  post('c/absent', { 'x-object-meta-two': '2' }),
  post('c/a', { 'x-delete-at': '1' }),
  post('c/a', { 'x-delete-after': 'soon' }),
  put('c/expires', 'x', { headers: { 'x-delete-at': '2147483647' } }),
  head('c/expires'),
];

/** For a conversation that is held alone: what it speaks of. */
const THINGS: readonly Turn[] = [
  put('c'),
  put('c/a', 'hello'),
  put('c/good', 'hello'),
  put('c/sub/other', 'x'),
  put('c/type', 'x', { headers: { 'content-type': 'image/png', 'x-object-meta-one': '1' } }),
];

const LISTINGS: readonly Turn[] = [
  ...THINGS,
  list('format=json'),
  list(''),
  list('format=xml'),
  list('format=json&prefix=sub/'),
  list('format=json&delimiter=/'),
  list('prefix=sub/&delimiter=/'),
  list('limit=2'),
  list('limit=2&marker=bad'),
  list('marker=good&end_marker=sub/other'),
  list('reverse=true'),
  list('reverse=true&limit=2&marker=sub/other'),
  put('c/sub/dir/', 'marks a folder'),
  put('c/sub/', 'marks the other'),
  list('path=sub'),
  list('path=sub/'),
  list('path='),
  list('path=sub&limit=1'),
  list('path=sub&marker=sub/dir/'),
  list('prefix=none'),
  list('limit=0'),
];

const COPIES: readonly Turn[] = [
  ...THINGS,
  copy('c/type', { destination: 'c/copied' }),
  head('c/copied'),
  copy('c/type', { destination: 'c/fresh', 'x-fresh-metadata': 'true', 'x-object-meta-n': '2' }),
  head('c/fresh'),
  copy('c/absent', { destination: 'c/x' }),
  copy('c/type', { destination: 'absent/x' }),
  copy('c/type', {}),
  copy('c/type', { destination: 'nowhere' }),
  put('c/from', '', { headers: { 'x-copy-from': '/c/type' } }),
  put('c/from', 'body', { headers: { 'x-copy-from': '/c/type' } }),
  head('c/from'),
];

const LARGE: readonly Turn[] = [
  ...THINGS,
  put('segments'),
  put('segments/1', 'one'),
  put('segments/2', 'two'),
  put(
    'c/large?multipart-manifest=put',
    manifest([{ path: '/segments/1' }, { path: 'segments/2' }]),
  ),
  get('c/large'),
  head('c/large'),
  get('c/large', { headers: { range: 'bytes=2-4' } }),
  get('c/large?multipart-manifest=get', {
    without: ['content-type', 'body', 'content-length', 'etag'],
  }),
  put('c/large2?multipart-manifest=put', manifest([{ path: '/segments/absent' }])),
  put('c/large2?multipart-manifest=put', manifest([{ path: '/segments/1', size_bytes: 9 }])),
  put('c/large2?multipart-manifest=put', 'nonsense'),
  put('c/dynamic', '', { headers: { 'x-object-manifest': 'segments/' } }),
  put('c/dynamic', '', { headers: { 'x-object-manifest': 'c/sub/o' } }),
  get('c/dynamic', { isLate: true }),
  put('c/link', '', { headers: { 'x-symlink-target': 'c/a' } }),
  get('c/link'),
  head('c/link?symlink=get'),
  put('c/loose', '', { headers: { 'x-symlink-target': 'c/absent' } }),
  get('c/loose'),
  put('c/link2', 'body', { headers: { 'x-symlink-target': 'c/a' } }),
  put('c/link2', '', { headers: { 'x-symlink-target': 'nowhere' } }),
  remove('c/large?multipart-manifest=delete', { headers: { accept: 'application/json' } }),
  head('segments/1'),
];

const ENDS: readonly Turn[] = [
  ...THINGS,
  { ...remove('c'), isLate: true },
  remove('c/absent'),
  remove('c/a'),
  remove('c/a'),
  get('c/a'),
  post(
    '?bulk-delete',
    { 'content-type': 'text/plain', accept: 'application/json' },
    'c/good\nc/no',
  ),
  post('?bulk-delete', { 'content-type': 'text/plain', accept: 'application/json' }, ''),
];

const REFUSED: readonly Turn[] = [
  ...THINGS,
  { method: 'BREW', path: 'c' },
  { method: 'PUT', path: '' },
  get('c/a', { headers: { 'x-auth-token': 'nobody' } }),
  put('c/x', 'x', { headers: { 'x-auth-token': 'nobody' } }),
];

export const CONVERSATIONS: readonly (readonly [about: string, turns: readonly Turn[]])[] = [
  ['containers', CONTAINERS],
  ['objects', OBJECTS],
  ['listings', LISTINGS],
  ['copies', COPIES],
  ['large objects and links', LARGE],
  ['refusals', REFUSED],
  ['deletions', ENDS],
];
