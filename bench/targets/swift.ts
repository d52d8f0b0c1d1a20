import { TargetError, type ProcessGroup, type Target } from './target.js';

/** The facts about a Swift cluster. */
export interface SwiftSettings {
  /** `http://host:port/auth/v1.0` */
  readonly authUrl: string;
  /** A URL that replaces the storage URL's host, to measure another one. */
  readonly url: string | undefined;
  /** `account:user` */
  readonly user: string;
  readonly key: string;
  readonly groups: readonly ProcessGroup[];
}

/** Swift's own API of a cluster that runs already, with one token for the whole run. */
export async function rawSwift(settings: SwiftSettings): Promise<Target> {
  const { storageUrl, token } = await logIn(settings);
  return {
    name: 'swift',
    description: `Swift's own API at ${new URL(storageUrl).origin}, with a token`,
    dialect: { kind: 'swift', storageUrl, token },
    groups: settings.groups,
    keepsData: true,
    stop: () => Promise.resolve(),
  };
}

async function logIn({ authUrl, url, user, key }: SwiftSettings) {
  const headers = { 'x-auth-user': user, 'x-auth-key': key };
  let response;
  try {
    response = await fetch(authUrl, { headers });
  } catch (error) {
    throw new TargetError(`cannot log in at ${authUrl}: ${String((error as Error).cause)}`);
  }
  const token = response.headers.get('x-auth-token');
  const given = response.headers.get('x-storage-url');
  if (token === null || given === null) {
    throw new TargetError(`cannot log in at ${authUrl} as ${user}: status ${response.status}`);
  }
  const storageUrl = new URL(given);
  if (url !== undefined) {
    const { protocol, host } = new URL(url);
    storageUrl.protocol = protocol;
    storageUrl.host = host;
  }
  return { storageUrl: storageUrl.href, token };
}
