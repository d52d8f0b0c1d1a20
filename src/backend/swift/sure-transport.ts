import { BackendError } from '../errors.js';
import type { SwiftRequest, SwiftResponse, SwiftTransport } from './transport.js';

/** The filter's word that what is not found may lie on servers that did not answer. */
const UNSURE_HEADER = 'x-gateway-unsure';

/**
 * A transport that takes no such answer for one: what was acknowledged must not be said to be missing,
 * so whoever asks is told to come again.
 */
export function sureTransport(transport: SwiftTransport): SwiftTransport {
  return {
    request: async (request) => sureAnswer(request, await transport.request(request)),
    info: () => transport.info(),
    ping: (context) => transport.ping(context),
    close: () => transport.close(),
  };
}

/** @throws BackendError Unavailable */
function sureAnswer(request: SwiftRequest, response: SwiftResponse): SwiftResponse {
  if (!response.headers.has(UNSURE_HEADER)) return response;
  response.cancel();
  const { method, account, container, object } = request;
  const path = [account, container, object].filter((each) => each !== undefined).join('/');
  throw new BackendError(
    'Unavailable',
    `${method} ${path}: too few servers of the cluster answered`,
  );
}
