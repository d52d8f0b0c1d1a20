import { createLogger, type Logger } from '../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../config/load.js';
import { Monitor } from '../surfaces/monitor/monitor.js';
import { USER_ADMIN, UserAdmin, type UserAdminOptions } from '../surfaces/users/user-admin.js';
import { parseUpstream } from '../swift/address.js';
import { Upstream } from '../swift/upstream.js';
import { AdminClient } from './admin-client.js';
import { describeError } from './app-errors.js';
import { buildApp } from './app.js';
import { AuditLog } from './audit-log.js';
import { ClientViews } from './client-address.js';
import type { ConsoleContext } from './context.js';
import { Events } from './events.js';
import { allowedHosts } from './hosts.js';
import { Jobs } from './jobs.js';
import { LoginLimits } from './login-limits.js';
import { Sessions } from './sessions.js';

export interface RunningConsole {
  readonly port: number;
  readonly context: ConsoleContext;
  /** Ends sessions, jobs and connections. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly now?: () => number;
  readonly logger?: Logger;
  readonly userAdmin?: UserAdminOptions;
}

const SWEEP_MS = 30_000;

/**
 * Starts the console.
 * @throws system errors when it cannot listen, or not write its state
 */
export async function startConsole(
  options: ConsoleOptions,
  {
    now = Date.now,
    logger = createLogger({ level: 'info', process: 'console' }),
    userAdmin = USER_ADMIN,
  }: StartOptions = {},
): Promise<RunningConsole> {
  const events = new Events();
  const admin = new AdminClient(options);
  const context: ConsoleContext = {
    options,
    now,
    logger,
    events,
    store: new Upstream(parseUpstream(options.storeBase)),
    auth: new Upstream(parseUpstream(options.authUrl)),
    admin,
    views: new ClientViews(options.trustedProxies),
    sessions: new Sessions({ idleMs: options.sessionIdleHours * 3_600_000, now }),
    loginLimits: new LoginLimits({ perMinute: options.loginMaxPerMin, now }),
    audit: await AuditLog.open(options.stateDir, { now, bytesMax: options.auditBytesMax }),
    userAdmin: options.accountAdmin
      ? new UserAdmin({ options, logger, now }, userAdmin)
      : undefined,
    jobs: new Jobs({ events, now, describe: (error) => describeError({ logger }, error, 'job') }),
    monitor: Monitor.open({ options, admin, events, now, logger }),
  };
  let hosts: ReadonlySet<string> = new Set();
  const app = await buildApp(context, () => hosts);
  const sweep = setInterval(() => {
    context.sessions.sweep();
  }, SWEEP_MS);
  const close = async () => {
    clearInterval(sweep);
    context.sessions.endAll();
    events.close();
    await app.close();
    context.store.close();
    context.auth.close();
    context.admin.close();
    await context.monitor?.close();
    await context.audit.close();
  };
  try {
    await app.listen({ host: options.bind.host, port: options.bind.port });
  } catch (error) {
    await close();
    throw error;
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.bind.port;
  hosts = allowedHosts({ ...options.bind, port }, options.allowedHosts);
  await context.monitor?.start();
  return { port, context, close };
}
