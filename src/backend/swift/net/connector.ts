import { buildConnector, errors } from 'undici';
import type { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { connectSlabSocket } from './slab-socket.js';

/** undici's, after which a server that is gone without a word is noticed. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * How undici's connections to an endpoint are made: over plain TCP by a socket whose bytes are not
 * allocated anew with each read, over TLS by undici's own.
 */
export function slabConnector(slabs: ReadSlabs, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs });
  return (options, callback) => {
    if (options.protocol === 'https:') secure(options, callback);
    else connectPlain(options, callback, slabs, timeoutMs);
  };
}

function connectPlain(
  { hostname, port }: buildConnector.Options,
  callback: buildConnector.Callback,
  slabs: ReadSlabs,
  timeoutMs: number,
): void {
  const socket = connectSlabSocket({ host: hostname, port: Number(port || 80) }, slabs);
  const timer = setTimeout(() => {
    socket.destroy(new errors.ConnectTimeoutError(`no connection within ${timeoutMs} ms`));
  }, timeoutMs);
  const onError = (error: Error): void => {
    clearTimeout(timer);
    callback(error, null);
  };
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  socket.once('error', onError);
  socket.once('connect', () => {
    clearTimeout(timer);
    // From now on they are undici's.
    socket.removeListener('error', onError);
    callback(null, socket);
  });
}
