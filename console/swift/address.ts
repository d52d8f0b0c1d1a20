/** The address of an upstream: parsed once, at start; no part of a request becomes part of it. */
export interface UpstreamAddress {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** The path without a slash at its end; empty for none. */
  readonly basePath: string;
}

/** @param url checked by the configuration: http or https, no user, no query */
export function parseUpstream(url: string): UpstreamAddress {
  const { protocol, hostname, port, pathname } = new URL(url);
  const secure = protocol === 'https:';
  return {
    secure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    basePath: pathname.replace(/\/+$/, ''),
  };
}
