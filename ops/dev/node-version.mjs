/**
 * Which Node.js runs Ringway. This file and bootstrap.mjs must parse on releases far older than
 * those, so that their users read one clear line and no syntax error: keep the syntax plain.
 */

/**
 * Release lines with a prebuilt edge library: each with the first release that can require() ESM, and
 * the oldest glibc that its library loads with.
 */
const SUPPORTED = [
  { major: 20, minor: 19, glibc: '2.27' },
  { major: 22, minor: 12, glibc: '2.27' },
  { major: 24, minor: 0, glibc: '2.38' },
  { major: 25, minor: 0, glibc: '2.38' },
];

/**
 * @param {string} version as in process.versions.node, e.g. `20.19.0`
 * @param {string | undefined} glibc of this host, e.g. `2.36`; undefined where there is none
 * @returns {string | null} one line for the user, or null when the release will do
 */
export function nodeVersionProblem(version, glibc) {
  const parts = version.split('.');
  const major = Number(parts[0]);
  const minor = Number(parts[1]);
  const line = SUPPORTED.find(function (one) {
    return one.major === major && minor >= one.minor;
  });
  if (line === undefined) {
    return 'Ringway needs Node.js 20.19+, 22.12+, 24 or 25; this is ' + version + '.';
  }
  if (glibc === undefined || minorOf(glibc) >= minorOf(line.glibc)) return null;
  return (
    'Ringway needs glibc ' +
    (line.glibc + ' with Node.js ' + major + ' (Debian 13, Ubuntu 24.04); this host has ' + glibc) +
    ': install Node.js 22.'
  );
}

/** @param {string} glibc a version 2.x */
function minorOf(glibc) {
  return Number(glibc.split('.')[1]);
}
