import { runChild } from '../src/processes/child.js';
import { startConsoleChild } from './console-service.js';

/** The console as a process of the service: the supervisor forks one. S3 does not pass through it. */
runChild((init) => startConsoleChild(init));
