import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loginName } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { hasRight } from '../../server/rights.js';
import type { SwiftAccount } from '../../swift/account.js';
import { swiftPath } from '../../swift/path.js';
import { containerName, objectName } from './names.js';

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
const ROTATE = z.strictObject({ container: containerName });

const KEY = 'x-container-meta-temp-url-key';
const KEY_2 = `${KEY}-2`;

/** URLs that open one object, or a folder, for a while. Their key stays between here and the store. */
export function tempurlRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { options, now } = context;
  app.post('/api/files/tempurl', { config: { access: 'write' } }, async (request) => {
    const given = parse(TEMPURL, request.body);
    const { store, user } = sessionOf(request);
    if (given.method === 'PUT' && !hasRight(user.role, 'manage')) {
      throw new ApiError('forbidden', 'Your role gives no URLs that write.');
    }
    const key = await containerKey(store, given.container, hasRight(user.role, 'manage'));
    const lifeS = given.expires_in_s ?? options.tempurlDefaultSecs;
    const expires = Math.floor(now() / 1000) + lifeS;
    await record(context, request, 'files.tempurl', given.container);
    const path = tempUrlPath(store.name, given, key, expires);
    return {
      url_path: path,
      url: options.publicBase === '' ? null : options.publicBase.replace(/\/$/, '') + path,
      expires_unix_s: expires,
      digest: 'sha256',
    };
  });

  /** The former key goes on to count until the next rotation; the one before it ends now. */
  app.post(
    '/api/files/tempurl/rotate',
    { config: { access: 'manage' } },
    async (request, reply) => {
      const { container } = parse(ROTATE, request.body);
      const { store } = sessionOf(request);
      const { headers } = await store.do([200, 204], 'HEAD', { container });
      const former = headers[KEY];
      await record(context, request, 'files.tempurl_rotate', container);
      await store.do([204, 202], 'POST', {
        container,
        headers: { [KEY]: newKey(), ...(typeof former === 'string' ? { [KEY_2]: former } : {}) },
      });
      return reply.status(204).send();
    },
  );
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
    throw new ApiError('forbidden', 'The container has no key that you may use: ask an admin.');
  }
  const key = newKey();
  await store.do([204, 202], 'POST', { container, headers: { [KEY]: key } });
  return key;
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Swift signs the path as it is, and takes it encoded (swift.common.utils.get_hmac). */
export function tempUrlPath(
  account: string,
  given: Omit<z.infer<typeof TEMPURL>, 'expires_in_s'>,
  key: string,
  expires: number,
): string {
  const { container, name, prefix, method, ip_range: ip, filename, inline } = given;
  const plain = `/v1/${account}/${container}/${name ?? prefix ?? ''}`;
  const lines = [method, String(expires), prefix === undefined ? plain : `prefix:${plain}`];
  if (ip !== undefined) lines.unshift(`ip=${ip}`);
  const signature = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
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

async function record(
  { audit }: ConsoleContext,
  request: FastifyRequest,
  action: string,
  target: string,
): Promise<void> {
  const { user } = sessionOf(request);
  await audit.write({
    actor: loginName(user),
    role: user.role,
    ip: request.view.address,
    action,
    target,
    result: 'ok',
    request_id: request.id,
  });
}
