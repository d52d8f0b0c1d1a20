/**
 * Brings a clone to where it can run: `node ops/dev/bootstrap.mjs install|product|build|record`. npm
 * calls it before `npm start` and `npm test`, so it stands on Node's own modules alone. The version
 * check comes first and in plain syntax; only what passes it gets to load the modern modules.
 */
import process from 'process';
import { nodeVersionProblem } from './node-version.mjs';

/** @returns {string | undefined} of this host, e.g. `2.36` */
function glibc() {
  if (process.platform !== 'linux' || process.report === undefined) return undefined;
  const report = process.report.getReport();
  return JSON.parse(JSON.stringify(report)).header.glibcVersionRuntime;
}

/** @param {string} line */
function fail(line) {
  process.stderr.write(line + '\n');
  process.exit(1);
}

const problem = nodeVersionProblem(process.versions.node, glibc());
if (problem !== null) fail(problem);

import('./lib/prepare.mjs')
  .then(function (module) {
    return module.prepare(process.argv[2]);
  })
  .catch(function (error) {
    fail('ringway: ' + error.message);
  });
