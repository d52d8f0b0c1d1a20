import type { DigestFactory } from '../../digest/body-digest.js';
import type { HeaderMap, RequestBody } from '../../http/exchange.js';
import type { Authentication } from './authenticate.js';
import type { Payload } from './payload.js';
import { literalPayloadMode, UNSIGNED_PAYLOAD } from './payload-mode.js';
import { planPayload, type PayloadOptions } from './payload-plan.js';
import type { Principal } from './principal.js';
import { VerifiedPayload } from './verified-payload.js';

/** An unsigned read, for the account that answers them. ACLs decide what it may see. */
export class AnonymousRequest implements Authentication {
  readonly principal: Principal;

  constructor(
    account: string,
    readonly headers: HeaderMap,
    private readonly digests: DigestFactory,
  ) {
    this.principal = { accessKey: '', account, role: 'anonymous' };
  }

  openPayload(body: RequestBody, options: PayloadOptions = {}): Payload {
    const mode = literalPayloadMode(UNSIGNED_PAYLOAD);
    const plan = planPayload(mode, this.headers, body.contentLength, options);
    return new VerifiedPayload(body, plan, undefined, this.digests);
  }
}
