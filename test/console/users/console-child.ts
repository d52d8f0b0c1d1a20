import { startConsoleChild } from '../../../console/console-service.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import { usersSurface } from '../../../console/surfaces/users/surface.js';
import { USER_ADMIN } from '../../../console/surfaces/users/user-admin.js';
import { runChild } from '../../../src/processes/child.js';

/** The console as it is, which reaches other hosts by the program that the environment names. */
const users = usersSurface({ ...USER_ADMIN, ssh: process.env.TEST_SSH ?? '' });
const surfaces = SURFACES.map((one) => (one.id === users.id ? users : one));
runChild((init) => startConsoleChild(init, surfaces));
