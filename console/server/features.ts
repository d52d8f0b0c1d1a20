import type { ConsoleContext } from './context.js';

/**
 * The surfaces that are on. Those that this release does not have yet are off, whatever the
 * configuration says.
 */
export function featuresOf({ monitor, userAdmin }: Pick<ConsoleContext, 'monitor' | 'userAdmin'>) {
  return {
    files: true,
    deploy: false,
    monitor: monitor !== undefined,
    lab: false,
    lab_mutations: false,
    account_admin: userAdmin !== undefined,
    test: false,
    audit: true,
  };
}

/** Paths of surfaces that come later: they answer 501 to users who are logged in. */
export const LATER_SURFACES = ['/deploy', '/lab', '/api/test'];
