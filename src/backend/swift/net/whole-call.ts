import type { Connection } from '../../../lib/http-client/connection.js';
import type { HttpPool } from '../../../lib/http-client/pool.js';
import type { Answer } from './answer.js';
import { Call } from './call.js';
import type { CallParameters } from './options.js';
import type { AttemptStage } from './retry-policy.js';

/** One request whose body is whole, or that has none. @throws AttemptError */
export function callWhole(
  pool: HttpPool,
  call: CallParameters,
  body: Buffer | undefined,
): Promise<Answer> {
  return new WholeCall(pool, call, body).run();
}

const NOTHING = Buffer.alloc(0);

class WholeCall extends Call {
  constructor(
    pool: HttpPool,
    call: CallParameters,
    private readonly body: Buffer | undefined,
  ) {
    super(pool, call);
  }

  protected override headers(): readonly string[] {
    const { method, headers } = this.call;
    const hasBody = this.body !== undefined || method === 'PUT' || method === 'POST';
    if (!hasBody) return headers;
    return [...headers, 'content-length', String(this.body?.length ?? 0)];
  }

  protected override send(connection: Connection, head: string): void {
    connection.arm(this.call.headersTimeoutMs);
    connection.send(head, this.call.method === 'HEAD', this.body ?? NOTHING);
  }

  protected override stage(): AttemptStage {
    return this.connection === undefined ? 'unsent' : 'unanswered';
  }

  protected override stopSending(): void {
    // All of it was sent at once.
  }

  protected override onLate(): void {
    this.late(`no answer within ${this.call.headersTimeoutMs} ms`);
  }
}
