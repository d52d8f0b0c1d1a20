import type { Exchange, ExchangeHandler, RequestHead } from '../../http/exchange.js';
import type { Addressing } from '../endpoint/addressing.js';

export type S3Health = 'ready' | 'draining' | 'unavailable';

export interface HealthPath {
  /** Begins with `/_`, as no bucket's name does; empty: nothing is answered here. */
  readonly path: string;
  readonly addressing: Addressing;
  /** The health as already known: it sends no request. */
  readonly health: () => S3Health;
}

/**
 * Answers the health checks of load balancers on the S3 port, before anything of S3 looks at them:
 * they are unsigned, and count in no metric. In virtual-host style the path is a key of the host's
 * bucket, and stays one.
 */
export function withHealthPath(options: HealthPath, next: ExchangeHandler): ExchangeHandler {
  const { path } = options;
  if (path === '') return next;
  return (exchange) => {
    const { request } = exchange;
    return request.rawPath === path && isCheck(request, options.addressing)
      ? answer(exchange, options.health())
      : next(exchange);
  };
}

function isCheck(request: RequestHead, addressing: Addressing): boolean {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  return reads && request.malformed === undefined && addressing.hostBucket(request) === '';
}

async function answer(exchange: Exchange, health: S3Health): Promise<void> {
  await exchange.respond({
    status: health === 'ready' ? 200 : 503,
    headers: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['Cache-Control', 'no-store'],
    ],
    body: `${health}\n`,
  });
}
