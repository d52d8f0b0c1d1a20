import { hash } from 'node:crypto';
import { HMAC_KEY_BYTES_MAX, HmacKey } from '../../../digest/hmac-key.js';

/**
 * Tells the filter in the proxies' pipeline that a request is the gateway's: an HMAC over method,
 * path as sent, and time. The filter takes it for five minutes either way.
 */
export type Signer = (method: string, path: string, to: string[]) => void;

export function signerOf(secret: string | undefined, now: () => number = Date.now): Signer {
  if (secret === undefined) return () => undefined;
  const bytes = Buffer.from(secret, 'utf8');
  const isLong = bytes.length > HMAC_KEY_BYTES_MAX;
  const key = new HmacKey(isLong ? hash('sha256', bytes, 'buffer') : bytes);
  return (method, path, to) => {
    const time = String(Math.floor(now() / 1000));
    const signature = key.sign(`${method}\n${path}\n${time}`);
    to.push('x-gateway-time', time, 'x-gateway-signature', signature);
  };
}
