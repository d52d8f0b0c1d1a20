import type { ConsoleContext } from './context.js';

/**
 * Which surfaces there are. Those that this release does not have yet are off for everybody,
 * whatever the configuration says.
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

/** Paths of surfaces that come later: they answer 501 to whoever is logged in. */
export const LATER_SURFACES = ['/deploy', '/lab', '/api/test'];
