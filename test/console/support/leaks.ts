/** Secrets that no answer of the console may hold, whatever its type: see {@link findLeak}. */
export interface Secrets {
  readonly storeOrigin: string;
  readonly stateDir: string;
}

/** Of any store: its product, its accounts and tokens, its headers, and the keys of the test users. */
const ALWAYS =
  /swift|openstack|tempauth|AUTH_\w*|x-(?:auth|storage|trans|timestamp|object|container|account)\b[-\w]*|\btesting[23]?\b/i;

/**
 * The Lab and Deploy are for operators and about the cluster itself: rings, addresses of devices,
 * configurations. Tokens and keys are not.
 */
const ALWAYS_FOR_OPERATORS = /AUTH_tk\w*|x-(?:auth|storage)-token\b[-\w]*|\btesting[23]?\b/i;

/** A TempURL cannot do without the account. */
const TEMPURL = /\/v1\/AUTH_\w+\/(?=[^\s"]*temp_url_sig=)/g;

/** Nor can an address that everybody may read. */
const PUBLIC_URL = /\/v1\/AUTH_\w+\/(?=[^\s"]*","is_public":true)/g;

/** The login page's name of one of its ways in, whatever the store is. */
const LOGIN_WORDS = /> Swift user</g;

/**
 * @param answer headers and body of an answer, as text
 * @param path that was asked for
 * @returns what it shows of the store, its address or its credentials; undefined for nothing
 */
export function findLeak(
  answer: string,
  { storeOrigin, stateDir }: Secrets,
  path = '/',
): string | undefined {
  const address = storeOrigin.replace(/^https?:\/\//, '');
  const place = [address, stateDir].find((text) => answer.includes(text));
  const always = /^\/(?:lab|deploy)\//.test(path) ? ALWAYS_FOR_OPERATORS : ALWAYS;
  const shown = [TEMPURL, PUBLIC_URL, LOGIN_WORDS].reduce(
    (text, one) => text.replace(one, ''),
    answer,
  );
  return place ?? always.exec(shown)?.[0];
}
