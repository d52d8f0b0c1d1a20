import { UpstreamError } from '../swift/errors.js';
import { readBody, Upstream } from '../swift/upstream.js';

/** How a server of a node answered. */
export type ReconAnswer =
  | { readonly kind: 'json'; readonly json: unknown }
  /** It answers, but not this: its pipeline has no recon, or it has nothing to say. */
  | { readonly kind: 'other'; readonly status: number }
  /** The host refuses the connection: it is there, its server is not. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' };

const TIMEOUT_MS = 3000;
/** md5s of some hundred rings, usage of some hundred disks. */
const BODY_BYTES_MAX = 1024 * 1024;
const AT_ONCE = 8;

/** The host answered for it, whatever it said. */
const REFUSALS: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Asks servers of Swift for what their recon middleware knows: a few at a time. */
export class ReconClient {
  readonly #servers = new Map<string, Upstream>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isClosed = false;

  /** @param place - of a ring's device, never of a request */
  ask(ip: string, port: number, what: string): Promise<ReconAnswer> {
    return this.#inTurn('GET', ip, port, `/recon/${what}`);
  }

  /**
   * Whether a server of objects serves a device: a HEAD of an object that does not exist is answered
   * with 507 where the server takes the device for not mounted.
   * @returns undefined where it does not say
   */
  async serves(ip: string, port: number, device: string): Promise<boolean | undefined> {
    const path = `/${encodeURIComponent(device)}/0/.ringway/probe/probe`;
    const answer = await this.#inTurn('HEAD', ip, port, path);
    if (answer.kind !== 'other') return undefined;
    if (answer.status === 507) return false;
    return answer.status === 404 ? true : undefined;
  }

  /** Forgets servers that are in no ring any more. */
  keepOnly(places: ReadonlySet<string>): void {
    for (const [place, upstream] of this.#servers) {
      if (places.has(place)) continue;
      upstream.close();
      this.#servers.delete(place);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.keepOnly(new Set());
  }

  async #send(method: 'GET' | 'HEAD', server: Upstream, rawPath: string): Promise<ReconAnswer> {
    try {
      const { status, body } = await server.send({
        method,
        rawPath,
        idleMs: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = (await readBody(body, BODY_BYTES_MAX)).toString('utf8');
      if (status !== 200) return { kind: 'other', status };
      return { kind: 'json', json: JSON.parse(text) as unknown };
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: 'other', status: 200 };
      if (error instanceof UpstreamError && error.kind === 'invalid') {
        return { kind: 'other', status: 200 };
      }
      const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException) : undefined;
      return { kind: REFUSALS.has(cause?.code) ? 'refused' : 'silent' };
    }
  }

  #server(ip: string, port: number): Upstream {
    const place = placeOf(ip, port);
    let server = this.#servers.get(place);
    if (server === undefined) {
      server = new Upstream({ secure: false, host: ip, port, basePath: '' });
      this.#servers.set(place, server);
    }
    return server;
  }

  async #inTurn(
    method: 'GET' | 'HEAD',
    ip: string,
    port: number,
    rawPath: string,
  ): Promise<ReconAnswer> {
    while (this.#running >= AT_ONCE) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      if (this.#isClosed) return { kind: 'silent' };
      return await this.#send(method, this.#server(ip, port), rawPath);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}

export function placeOf(ip: string, port: number): string {
  return `${ip} ${port}`;
}
