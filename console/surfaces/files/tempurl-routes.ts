import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { audited, needRight, recordAction } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import { hasRight } from '../../server/rights.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { StoreInfoCache } from '../../swift/info.js';
import { swiftPath } from '../../swift/path.js';
import { containerName, objectName, refuseShortened } from './names.js';
import { keepsS3Versions } from './sharing.js';

const TEMPURL = z
  .strictObject({
    container: containerName,
    name: objectName.optional(),
    prefix: objectName.optional(),
    method: z.enum(['GET', 'HEAD', 'PUT']).default('GET'),
    expires_in_s: z
      .int()
      .min(1)
      .max(365 * 86_400)
      .optional(),
    ip_range: z
      .string()
      .regex(/^[0-9a-fA-F.:]{2,45}(?:\/\d{1,3})?$/)
      .optional(),
    filename: z.string().min(1).max(255).optional(),
    inline: z.boolean().default(false),
  })
  .refine(({ name, prefix }) => (name === undefined) !== (prefix === undefined), {
    error: 'either name or prefix',
  });
const OF_CONTAINER = z.strictObject({ container: containerName });

const BY_S3 =
  'TempURLs do not work in buckets with S3 versioning. Share objects with presigned URLs instead.';
const KEY = 'x-container-meta-temp-url-key';
const KEY_2 = `${KEY}-2`;

export interface TempUrl {
  readonly url_path: string;
  /** Null where the address of the store is not configured. */
  readonly url: string | null;
  readonly expires_unix_s: number;
  readonly digest: TempUrlDigest;
}

/** URLs that open one object, or a folder, for a while. Their key stays between here and the store. */
export function tempurlRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  info: StoreInfoCache,
): void {
  const { options, now, changes } = context;
  app.post('/api/files/tempurl', auditedRoute('write'), async (request): Promise<TempUrl> => {
    const given = parse(TEMPURL, request.body);
    const { store, user } = sessionOf(request);
    const { name, prefix, method } = given;
    const lifeS = given.expires_in_s ?? options.tempurlDefaultSecs;
    const expires = Math.floor(now() / 1000) + lifeS;
    const details = { name: name ?? `${prefix ?? ''}…`, method, expires_unix_s: expires };
    const act = { action: 'files.tempurl', target: given.container, details };
    if (await keepsS3Versions(sessionOf(request), given.container)) {
      throw new ApiError('unsupported_here', BY_S3);
    }
    if (method === 'PUT') {
      await needRight(context, request, 'manage', act, 'Your role does not allow upload URLs.');
    }
    refuseShortened(given.name ?? given.prefix ?? '');
    await refuseMissing(store, given);
    const digest = await digestOf(info);
    const mayCreate = hasRight(user.role, 'manage');
    // Two who make a key at the same time would each undo the other's URLs.
    const key = await changes.ofContainer(store, given.container, () =>
      containerKey(store, given.container, mayCreate),
    );
    await recordAction(context, request, { ...act, result: 'ok' });
    const path = tempUrlPath(store.name, given, key, expires, digest);
    return {
      url_path: path,
      url:
        options.storePublicBase === '' ? null : options.storePublicBase.replace(/\/$/, '') + path,
      expires_unix_s: expires,
      digest,
    };
  });

  const CHANGES = { rotate: rotateKey, remove: removeKeys };
  for (const [name, change] of Object.entries(CHANGES)) {
    const action = `files.tempurl_${name}`;
    const manages = { config: { access: 'manage', audits: action } } as const;
    app.post(`/api/files/tempurl/${name}`, manages, async (request, reply) => {
      const { container } = parse(OF_CONTAINER, request.body);
      const { store } = sessionOf(request);
      await audited(context, request, { action, target: container }, () =>
        changes.ofContainer(store, container, () => change(store, container)),
      );
      return reply.status(204).send();
    });
  }
}

/** Refuses a URL that would read a missing object. */
async function refuseMissing(
  store: SwiftAccount,
  { container, name, method }: z.infer<typeof TEMPURL>,
): Promise<void> {
  if (name === undefined || method === 'PUT') return;
  // A user who may not read the object gets its URL all the same: the store decides when it is used.
  const { status } = await store.do([200, 204, 403, 404], 'HEAD', { container, object: name });
  if (status === 404) throw new ApiError('no_such_object', 'The object does not exist.');
}

type TempUrlDigest = 'sha256' | 'sha512';

/** The digest that the store takes; never sha1. @throws ApiError unsupported_here */
async function digestOf(info: StoreInfoCache): Promise<TempUrlDigest> {
  const { hasTempurl, tempurlDigests } = await info.get();
  // A store that says nothing of itself takes what all have taken for years.
  if (!hasTempurl || tempurlDigests.length === 0 || tempurlDigests.includes('sha256')) {
    return 'sha256';
  }
  if (tempurlDigests.includes('sha512')) return 'sha512';
  const message = 'The store accepts no secure TempURL digest (SHA-256 or SHA-512).';
  throw new ApiError('unsupported_here', message, { needs: 'tempurl with sha256 or sha512' });
}

/** @throws ApiError forbidden when there is none, and the user may not make one */
async function containerKey(
  store: SwiftAccount,
  container: string,
  mayCreate: boolean,
): Promise<string> {
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  const known = headers[KEY] ?? headers[KEY_2];
  if (typeof known === 'string' && known !== '') return known;
  if (!mayCreate) {
    const message = 'The bucket has no TempURL key that you can use. Contact an admin.';
    throw new ApiError('forbidden', message);
  }
  const key = newKey();
  await store.do([204, 202], 'POST', { container, headers: { [KEY]: key } });
  return key;
}

/** The former key goes on to count until the next rotation; the one before it ends now. */
async function rotateKey(store: SwiftAccount, container: string): Promise<void> {
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  const former = headers[KEY];
  await store.do([204, 202], 'POST', {
    container,
    headers: { [KEY]: newKey(), ...(typeof former === 'string' ? { [KEY_2]: former } : {}) },
  });
}

/** All TempURLs that the keys of a container signed stop working. */
async function removeKeys(store: SwiftAccount, container: string): Promise<void> {
  const names = [KEY, KEY_2].map((name) => name.replace(/^x-/, 'x-remove-'));
  const headers = Object.fromEntries(names.map((name) => [name, 'x']));
  await store.do([204, 202], 'POST', { container, headers });
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Swift signs the path as it is, and takes it encoded (swift.common.utils.get_hmac). */
function tempUrlPath(
  account: string,
  given: Omit<z.infer<typeof TEMPURL>, 'expires_in_s'>,
  key: string,
  expires: number,
  digest: TempUrlDigest = 'sha256',
): string {
  const { container, name, prefix, method, ip_range: ip, filename, inline } = given;
  const plain = `/v1/${account}/${container}/${name ?? prefix ?? ''}`;
  const lines = [method, String(expires), prefix === undefined ? plain : `prefix:${plain}`];
  if (ip !== undefined) lines.unshift(`ip=${ip}`);
  const hmac = createHmac(digest, key).update(lines.join('\n'));
  // Swift tells the longer one by its name, and takes it in base64 (since 2.29).
  const signature = digest === 'sha256' ? hmac.digest('hex') : `sha512:${hmac.digest('base64url')}`;
  return swiftPath(
    account,
    { container, object: name ?? prefix },
    {
      temp_url_sig: signature,
      temp_url_expires: expires,
      temp_url_prefix: prefix,
      temp_url_ip_range: ip,
      filename,
      inline: inline ? '' : undefined,
    },
  );
}
