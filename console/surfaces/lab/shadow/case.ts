import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Which protocol a case speaks: its sides log in, or sign, accordingly. */
export type Dialect = 'swift' | 's3';

/**
 * Where a case may go: `${A}` is the account of a side, `${C}` the scratch container. A case that
 * names anything else is refused, wherever it comes from.
 */
const INSIDE = {
  swift: /^\/v1\/\$\{A\}\/\$\{C\}(?:$|[/?])/,
  s3: /^\/\$\{C\}(?:$|[/?])/,
} as const satisfies Record<Dialect, RegExp>;

/** The characters that a request line can hold without ending it. */
const TARGET = /^[\u0021-\u007e\u0080-\u00ff]{1,4096}$/;
const METHOD = /^[A-Za-z]{1,16}$/;
const NAME = /^[!-9;-~]{1,128}$/;
/** Latin-1, as it is sent: of other characters one byte would go out, which may end the line. */
const VALUE_PART = String.raw`[^\r\n\0\u0100-\uffff]*`;
/** A line may be folded, and may not end the headers. */
const VALUE = new RegExp(String.raw`^${VALUE_PART}(?:\r\n[ \t]${VALUE_PART})*$`);
/** Headers that say who asks, or lead to another place: they are the side's own. */
const OWN = /^(?:host|connection|authorization|x-auth-token|x-storage-token|x-service-token)$/i;
/** Headers that name a place: only one in the scratch container. */
const PLACES =
  /^(?:destination|x-copy-from|x-object-manifest|x-amz-copy-source|x-symlink-target|x-versions-location|x-history-location|destination-account|x-copy-from-account)$/i;

/**
 * Queries that act on places which a body, or an earlier manifest, names: these are not looked at
 * here.
 */
const ELSEWHERE = /(?:^|[&;])(?:bulk-delete|extract-archive|multipart-manifest=delete)/i;

const STEP = z.strictObject({
  method: z.string().regex(METHOD),
  target: z.string().regex(TARGET),
  headers: z.array(z.tuple([z.string().regex(NAME), z.string().max(16_384).regex(VALUE)])).max(64),
  body_b64: z.string().max(90_000).default(''),
});

const CASE = z.strictObject({
  id: z.string().max(100),
  dialect: z.enum(['swift', 's3']),
  steps: z.array(STEP).min(1).max(12),
});

export type ShadowStep = z.infer<typeof STEP>;
export type ShadowCase = z.infer<typeof CASE>;

/**
 * A case of a file or of a request.
 * @returns undefined for one that is none, or that would leave its scratch container
 */
export function parseCase(value: unknown): ShadowCase | undefined {
  const parsed = CASE.safeParse(value);
  return parsed.success && parsed.data.steps.every((one) => isInside(one, parsed.data.dialect))
    ? parsed.data
    : undefined;
}

/** Whether a step stays in the scratch container and sends no identity of its own. */
export function isInside({ target, headers }: ShadowStep, dialect: Dialect): boolean {
  const [path = ''] = target.split('?', 1);
  const query = target.slice(path.length + 1);
  return (
    INSIDE[dialect].test(target) &&
    !leadsOut(path, dialect) &&
    !ELSEWHERE.test(decoded(query)) &&
    headers.every(([name, value]) => {
      if (OWN.test(name)) return false;
      return !PLACES.test(name) || /^\/?\$\{C\}(?:\/|$)/.test(value);
    })
  );
}

/**
 * Whether `..` would lead out of the container: servers in front of a store may resolve it, also
 * where dots and slashes are encoded.
 */
function leadsOut(path: string, dialect: Dialect): boolean {
  const dots = path.replace(/%2e/gi, '.');
  const above = dialect === 'swift' ? 4 : 2;
  return [dots, dots.replace(/%2f|%5c|\\/gi, '/')].some((one) => {
    let depth = 0;
    return one
      .split('/')
      .slice(above)
      .some((part) => {
        if (part === '..') depth -= 1;
        else if (part !== '' && part !== '.') depth += 1;
        return depth < 0;
      });
  });
}

/** Each escape by itself: one that is none does not hide another. */
function decoded(query: string): string {
  return query.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export function digestOf(one: ShadowCase): string {
  return createHash('sha256').update(JSON.stringify(one.steps)).digest('hex');
}

const text = (value: string): string => Buffer.from(value).toString('base64');

function step(
  method: string,
  target: string,
  headers: ShadowStep['headers'] = [],
  body = '',
): ShadowStep {
  return { method, target, headers, body_b64: text(body) };
}

const SWIFT = (rest = ''): string => `/v1/\${A}/\${C}${rest}`;
const S3 = (rest = ''): string => `/\${C}${rest}`;
const BODY = 'The quick brown fox jumps over the lazy dog.';
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

const put = (target: string, headers: ShadowStep['headers'] = []): ShadowStep =>
  step('PUT', target, [['Content-Type', 'text/plain'], ...headers], BODY);

/** Cases that were written by hand: what mutations begin with. */
const SEEDS: Readonly<Record<Dialect, readonly (readonly [string, readonly ShadowStep[]])[]>> = {
  swift: [
    ['crud', [put(SWIFT('/o')), step('GET', SWIFT('/o')), step('HEAD', SWIFT('/o')), step('DELETE', SWIFT('/o')), step('GET', SWIFT('/o'))]],
    ['metadata', [put(SWIFT('/o'), [['X-Object-Meta-Colour', 'blue']]), step('POST', SWIFT('/o'), [['X-Object-Meta-Size', 'L']]), step('HEAD', SWIFT('/o'))]],
    ['listing', [put(SWIFT('/a/1')), put(SWIFT('/b')), step('GET', SWIFT('?format=json&limit=1')), step('GET', SWIFT('?format=xml&prefix=a')), step('GET', SWIFT('?delimiter=/'))]],
    ['range', [put(SWIFT('/o')), step('GET', SWIFT('/o'), [['Range', 'bytes=4-8']]), step('GET', SWIFT('/o'), [['Range', 'bytes=1-2,5-6']])]],
    ['conditions', [put(SWIFT('/o'), [['If-None-Match', '*']]), put(SWIFT('/o'), [['If-None-Match', '*']]), step('GET', SWIFT('/o'), [['If-Match', 'x']]), step('GET', SWIFT('/o'), [['If-Modified-Since', 'Thu, 01 Jan 2099 00:00:00 GMT']])]],
    ['copy', [put(SWIFT('/o')), step('COPY', SWIFT('/o'), [['Destination', '${C}/p']]), step('GET', SWIFT('/p'))]],
    ['manifest', [put(SWIFT('/seg/1')), step('PUT', SWIFT('/dlo'), [['X-Object-Manifest', '${C}/seg/']]), step('GET', SWIFT('/dlo')), step('GET', SWIFT('/dlo?multipart-manifest=get'))]],
    ['expiry', [put(SWIFT('/o'), [['X-Delete-After', '600']]), step('HEAD', SWIFT('/o'))]],
    ['etag', [put(SWIFT('/o'), [['ETag', '00000000000000000000000000000000']]), step('HEAD', SWIFT('/o'))]],
    ['container', [step('HEAD', SWIFT()), step('POST', SWIFT(), [['X-Container-Meta-A', 'b']]), step('HEAD', SWIFT()), step('OPTIONS', SWIFT('/o'), [['Origin', 'http://a.example'], ['Access-Control-Request-Method', 'GET']])]],
  ],
  s3: [
    ['crud', [put(S3('/o')), step('GET', S3('/o')), step('HEAD', S3('/o')), step('DELETE', S3('/o')), step('GET', S3('/o'))]],
    ['metadata', [put(S3('/o'), [['x-amz-meta-colour', 'blue']]), step('HEAD', S3('/o'))]],
    ['listing', [put(S3('/a/1')), put(S3('/b')), step('GET', S3('?list-type=2&max-keys=1')), step('GET', S3('?prefix=a&delimiter=/')), step('GET', S3('?versions'))]],
    ['range', [put(S3('/o')), step('GET', S3('/o'), [['Range', 'bytes=4-8']])]],
    ['conditions', [put(S3('/o')), step('GET', S3('/o'), [['If-Match', '"x"']]), step('GET', S3('/o'), [['If-Modified-Since', 'Thu, 01 Jan 2099 00:00:00 GMT']])]],
    ['copy', [put(S3('/o')), step('PUT', S3('/p'), [['x-amz-copy-source', '/${C}/o']]), step('GET', S3('/p'))]],
    ['multipart', [step('POST', S3('/m?uploads')), step('GET', S3('?uploads'))]],
    ['subresources', [step('GET', S3('?acl')), step('GET', S3('?location')), step('GET', S3('?versioning')), step('GET', S3('?lifecycle')), step('GET', S3('?cors')), step('GET', S3('?policy'))]],
    ['tags', [put(S3('/o')), step('PUT', S3('/o?tagging'), [], TAGS), step('GET', S3('/o?tagging'))]],
    ['class', [put(S3('/o'), [['x-amz-storage-class', 'GLACIER_IR']]), put(S3('/o'), [['x-amz-acl', 'public-read']])]],
  ],
}; // prettier-ignore

export function seedsOf(dialect: Dialect): ShadowCase[] {
  return SEEDS[dialect].map(([id, steps]) => ({ id, dialect, steps: [...steps] }));
}
