import { createHmac, createSecretKey } from 'node:crypto';

/**
 * Tells the filter in the proxies' pipeline that a request is the gateway's: an HMAC over method,
 * path as sent, and time. The filter takes it for five minutes either way.
 */
export type Signer = (method: string, path: string, to: string[]) => void;

export function signerOf(secret: string | undefined, now: () => number = Date.now): Signer {
  if (secret === undefined) return () => undefined;
  const key = createSecretKey(secret, 'utf8');
  return (method, path, to) => {
    const time = String(Math.floor(now() / 1000));
    const signature = createHmac('sha256', key).update(`${method}\n${path}\n${time}`).digest('hex');
    to.push('x-gateway-time', time, 'x-gateway-signature', signature);
  };
}
