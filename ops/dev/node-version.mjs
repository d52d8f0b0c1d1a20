/**
 * Which Node.js runs Ringway. This file and bootstrap.mjs must parse on releases far older than
 * those, so that their users read one clear line and no syntax error: keep the syntax plain.
 */

/** Release lines with a prebuilt edge library, each with the first release that can require() ESM. */
const SUPPORTED = [
  { major: 20, minor: 19 },
  { major: 22, minor: 12 },
];

/**
 * @param {string} version as in process.versions.node, e.g. `20.19.0`
 * @returns {string | null} one line for the user, or null when the release will do
 */
export function nodeVersionProblem(version) {
  const parts = version.split('.');
  const major = Number(parts[0]);
  const minor = Number(parts[1]);
  const fits = SUPPORTED.some(function (line) {
    return line.major === major && minor >= line.minor;
  });
  if (fits) return null;
  return 'Ringway needs Node.js 20.19+ or 22.12+; this is ' + version + '.';
}
