import type { Call } from '../call.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';

/** A timestamp as Swift writes it, maybe with an offset behind it. */
const TIMESTAMP = /^(\d{1,12})\.(\d{3})\d{0,6}(?:_[0-9a-f]{1,16})?$/;

/** The very object that a change is of. */
export interface Seen {
  readonly etag: string;
  readonly lastModified: number;
}

/**
 * What a gateway's `X-Gateway-Not-Newer` asks for: to change or delete an object only while it is not
 * newer than a time.
 * @returns undefined when the request does not ask for it
 * @throws SwiftError 400; 409 when it is newer
 */
export async function notNewer(call: Call<ObjectTarget>): Promise<Seen | undefined> {
  const { api, context, target, headers, gateway } = call;
  const given = headers.get('x-gateway-not-newer');
  if (!gateway || given === undefined) return undefined;
  const [, seconds, milliseconds] = TIMESTAMP.exec(given) ?? [];
  if (seconds === undefined || milliseconds === undefined) {
    throw new SwiftError(400, 'X-Gateway-Not-Newer is a timestamp with a DELETE or a POST\n', TEXT);
  }
  const limit = Number(seconds) * 1000 + Number(milliseconds);
  const itself = { linkItself: true };
  const { etag, lastModified } = await api.backend.headObject(context, target, itself);
  if (lastModified > limit) throw new SwiftError(409);
  return { etag, lastModified };
}
