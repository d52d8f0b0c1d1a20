import type { Logger } from '../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../config/load.js';
import type { S3Endpoint } from '../s3/s3-account.js';
import type { Upstream } from '../swift/upstream.js';
import type { Accounts } from './accounts.js';
import type { AdminClient } from './admin-client.js';
import type { Changes } from './changes.js';
import type { ClientView, ClientViews } from './client-address.js';
import type { Events } from './events.js';
import type { Jobs } from './jobs.js';
import type { LoginLimits } from './login-limits.js';
import type { LoginOffers } from './login-offers.js';
import type { Logins } from './logins.js';
import type { Right } from './rights.js';
import type { Runs } from './runs/runs.js';
import type { Gate } from './surface.js';
import type { Session, Sessions } from './sessions.js';
import type { ExclusiveAudit } from '../../src/lib/audit/exclusive-audit.js';

/** The state that all routes share; made once, at start. */
export interface ConsoleContext {
  readonly options: ConsoleOptions;
  readonly now: () => number;
  /** Waits that many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly logger: Logger;
  readonly store: Upstream;
  /** Undefined without `s3_base`. */
  readonly s3: S3Endpoint | undefined;
  readonly admin: AdminClient;
  readonly views: ClientViews;
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly loginLimits: LoginLimits;
  readonly loginOffers: LoginOffers;
  readonly audit: ExclusiveAudit;
  readonly events: Events;
  readonly changes: Changes;
  /** Work of one session. */
  readonly jobs: Jobs;
  /** Work that outlives its session, and the console. */
  readonly runs: Runs;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before anything else looks at the request. */
    view: ClientView;
    /** Null on open routes alone: see `sessionOf`. */
    session: Session | null;
  }

  interface FastifyContextConfig {
    /**
     * The users who may use the route: all, or those whose role has the right. Each route must say
     * it.
     */
    access?: 'open' | Right;
    /** That of the surface that the route belongs to. */
    gate?: Gate;
    /**
     * True when the handler writes its changes into the audit log. A name also makes a record of that
     * name when a user without the right is refused. Each route that is no read says this, or says
     * why it has nothing to write.
     */
    audits?: string | true;
    unaudited?: string;
    /** The user did nothing: the session does not live longer for it. */
    background?: boolean;
  }
}

/** The session of a request that the guard let through. */
export function sessionOf(request: { readonly session: Session | null }): Session {
  if (request.session === null) throw new Error('a route without a session asked for one');
  return request.session;
}
