import { startConsoleChild } from '../../../console/console-service.js';
import { USER_ADMIN } from '../../../console/surfaces/users/user-admin.js';
import { runChild } from '../../../src/processes/child.js';

/** The console as it is, which reaches other hosts by the program that the environment names. */
runChild((init) =>
  startConsoleChild(init, { userAdmin: { ...USER_ADMIN, ssh: process.env.TEST_SSH ?? '' } }),
);
