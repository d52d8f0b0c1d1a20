import { randomBytes } from 'node:crypto';
import { splitName } from '../console/config/derive.js';
import { isKeystone } from '../console/config/keys.js';
import type { RawConfig } from '../src/config/config-file.js';
import type { Roster } from '../src/config/credentials.js';
import type { FilledOptions } from '../src/config/options.js';
import { isLoopback } from '../src/config/secret-file.js';
import type { LoginOffer } from '../src/processes/protocol.js';

/** How long the link of a start logs in. */
const OFFER_MS = 10 * 60_000;
const TOKEN_BYTES = 32;

type Own = RawConfig | undefined;

/** Whether users of Keystone log in to the console, whom the service does not know. */
export function isKeystoneLogin(
  { backend, swiftAuthUrl }: Pick<FilledOptions, 'backend' | 'swiftAuthUrl'>,
  own: Own,
): boolean {
  const authUrl = own?.auth_url ?? (backend === 'swift' ? swiftAuthUrl : '');
  return typeof authUrl === 'string' && isKeystone(authUrl);
}

/** A user of the console, with the key. */
export type FirstLogin = Omit<LoginOffer, 'token' | 'untilMs'>;

/** The first owner, as the console's login knows the user; undefined where its own accounts count. */
export function firstLogin(
  roster: Roster,
  backend: FilledOptions['backend'],
  own: Own,
): FirstLogin | undefined {
  const owner = roster.find(({ role }) => role === 'owner') ?? roster[0];
  if (owner === undefined || own?.accounts !== undefined) return undefined;
  const { accessKey, secretKey } = owner;
  const name = splitName(backend === 'swift' ? (owner.user ?? accessKey) : accessKey);
  return name && { ...name, key: secretKey };
}

/**
 * A login by a link, for the terminal of the service; undefined where the console can be reached from
 * other machines, or where others than the service's own users log in.
 */
export function offerLogin(
  options: Pick<FilledOptions, 'backend' | 'swiftAuthUrl' | 'consoleListen'>,
  roster: Roster,
  own: Own,
  now: number,
): LoginOffer | undefined {
  const { backend, consoleListen } = options;
  if (consoleListen === '' || !isLoopback(consoleListen)) return undefined;
  if (own?.auth_url !== undefined || isKeystoneLogin(options, own)) return undefined;
  const login = firstLogin(roster, backend, own);
  if (login === undefined) return undefined;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { ...login, token, untilMs: now + OFFER_MS };
}
