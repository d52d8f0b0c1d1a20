/**
 * Which surfaces there are. Those that this release does not have yet are off for everybody,
 * whatever the configuration says.
 */
export const FEATURES = {
  files: true,
  deploy: false,
  monitor: false,
  lab: false,
  lab_mutations: false,
  account_admin: false,
  test: false,
};

/** Paths of surfaces that come later: they answer 501 to whoever is logged in. */
export const LATER_SURFACES = ['/deploy/api', '/lab', '/api/monitor', '/api/users', '/api/test'];
