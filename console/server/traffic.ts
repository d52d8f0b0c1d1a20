import type { FastifyInstance, FastifyReply } from 'fastify';

/** A request that is over, answered or cut. */
export interface FinishedRequest {
  readonly status: number;
  readonly isLogin: boolean;
}

/** The requests under way, for a drain to wait for. */
export class Traffic {
  #inProgress = 0;
  #isDraining = false;
  #onIdle: () => void = () => undefined;

  constructor(private readonly onFinished: (request: FinishedRequest) => void = () => undefined) {}

  get inProgress(): number {
    return this.#inProgress;
  }

  /** Placed before all other hooks, so that refused requests count as well. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      this.#inProgress += 1;
      if (this.#isDraining) void reply.header('connection', 'close');
      reply.raw.once('close', () => {
        this.#inProgress -= 1;
        const isLogin = request.method === 'POST' && request.routeOptions.url === '/api/session';
        this.onFinished({ status: reply.raw.statusCode, isLogin });
        if (this.#inProgress === 0) this.#onIdle();
      });
      done();
    });
  }

  /** Connections end with the answer to their next request. Resolves when nothing is under way. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#inProgress === 0) return;
    await new Promise<void>((resolve) => {
      const before = this.#onIdle;
      this.#onIdle = () => {
        before();
        resolve();
      };
    });
  }
}

/**
 * A signal that is aborted when the connection of a request ends, or has ended, before its answer has
 * been sent whole: the client no longer waits for what the request does.
 */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  const close = (): void => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.destroyed) close();
  else raw.once('close', close);
  return gone.signal;
}
