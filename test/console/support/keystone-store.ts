import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { FakeKeystone, SERVICE_PASSWORD, type FakeUser } from '../../support/fake-keystone.js';
import { serve } from '../../support/serve.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { startTestBed, type TestBed } from './console.js';
import { openTestStore } from './store.js';

/** A console whose users are Keystone's, over a store that takes its tokens. */
export interface KeystoneBed extends TestBed {
  readonly keystone: FakeKeystone;
  readonly anna: FakeUser;
}

/** The project `test` has the account of the store's `test:tester`. */
export async function startKeystoneBed(
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<KeystoneBed> {
  const keystone = await FakeKeystone.start();
  const anna = keystone.add({
    access: 'anna-key',
    secret: 'anna-secret',
    user: 'anna',
    project: 'test',
    roles: ['Member'],
    password: 'anna-password',
  });
  const folder = await makeTempFolder('keystone');
  await writeFile(join(folder, 'key'), SERVICE_PASSWORD, { mode: 0o600 });
  const store = await openTestStore();
  const relay = await startRelay(store.origin, keystone);
  const bed = await startTestBed({
    store_base: relay.origin,
    auth_url: keystone.url,
    accounts: undefined,
    keystone_user: 'ringway',
    keystone_key_file: join(folder, 'key'),
    ...overrides,
  });
  return {
    ...bed,
    keystone,
    anna,
    async close() {
      await bed.close();
      relay.close();
      await store.close();
      await keystone.close();
      await removeFolder(folder);
    },
  };
}

/** Knows Keystone's tokens, as Swift's keystoneauth does, and goes on with one of the store. */
async function startRelay(target: string, keystone: FakeKeystone) {
  const headers = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' };
  const login = await fetch(`${target}/auth/v1.0`, { headers });
  const token = login.headers.get('x-auth-token') ?? '';
  return serve((request, response) => {
    const given = String(request.headers['x-auth-token']);
    const path = (request.url ?? '').replace('/v1/AUTH_id-test', '/v1/AUTH_test');
    if (!keystone.tokens.has(given) || path === request.url) {
      request.resume();
      response.writeHead(401).end();
      return;
    }
    const onward = http.request(`${target}${path}`, {
      agent: false,
      method: request.method,
      headers: { ...request.headers, 'x-auth-token': token },
    });
    onward.once('response', (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
}
