/** What no answer of the console may hold, whatever its type: see {@link findLeak}. */
export interface Secrets {
  readonly storeOrigin: string;
  readonly stateDir: string;
}

/** Of any store: its product, its accounts and tokens, its headers, and the keys of the test users. */
const ALWAYS =
  /swift|openstack|tempauth|AUTH_\w*|x-(?:auth|storage|trans|timestamp|object|container|account)\b[-\w]*|\btesting[23]?\b/i;

/** A TempURL cannot do without the account. */
const TEMPURL = /\/v1\/AUTH_\w+\/(?=[^\s"]*temp_url_sig=)/g;

/**
 * @param answer headers and body of an answer, as text
 * @returns what it shows of the store, its address or its credentials; undefined for nothing
 */
export function findLeak(answer: string, { storeOrigin, stateDir }: Secrets): string | undefined {
  const address = storeOrigin.replace(/^https?:\/\//, '');
  const place = [address, stateDir].find((text) => answer.includes(text));
  return place ?? ALWAYS.exec(answer.replace(TEMPURL, ''))?.[0];
}
