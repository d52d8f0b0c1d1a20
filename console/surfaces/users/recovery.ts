import type { ConsoleContext } from '../../server/context.js';
import type { UserAdmin } from './user-admin.js';

/**
 * Takes back what a crash has left of a change of users, and records it. Never rejects: what cannot
 * be taken back now is tried before the next change.
 */
export async function recoverUsers(
  admin: Pick<UserAdmin, 'recover'>,
  { audit, logger }: Pick<ConsoleContext, 'audit' | 'logger'>,
  turn: () => Promise<boolean>,
): Promise<void> {
  try {
    // The journal of a former process that is still at its change is none that a crash has left.
    if (!(await turn())) return;
    const former = await admin.recover();
    if (former === undefined) return;
    const { target, stuck } = former;
    await audit.write({
      actor: 'console',
      role: '',
      ip: '',
      action: 'users.recover',
      target: `${target} ${stuck.map((node) => `${node}=stuck`).join(' ')}`.trimEnd(),
      result: stuck.length === 0 ? 'ok' : 'failed',
      request_id: '',
    });
  } catch (error) {
    logger.error({ err: error }, 'an unfinished change of users is left');
  }
}
