/**
 * What `npm test` runs: of every area, the suites that catch most of the planted bugs for their time.
 * Stages that are left out belong to `npm run test:all` alone. A name is a file, or a folder that
 * ends with `/`.
 *
 * @type {Readonly<Record<string, 'whole' | readonly string[]>>} by stage
 */
const QUICK = {
  unit: 'whole',
};

/**
 * @param {string} stage
 * @param {string} source
 */
export function isQuick(stage, source) {
  const chosen = QUICK[stage] ?? [];
  return (
    chosen === 'whole' ||
    chosen.some((name) => source === name || (name.endsWith('/') && source.startsWith(name)))
  );
}

/** @param {readonly string[]} sources @returns {string[]} names of which none of them is */
export function missingFrom(sources) {
  return Object.values(QUICK)
    .flatMap((chosen) => (chosen === 'whole' ? [] : chosen))
    .filter((name) => !sources.some((source) => source === name || source.startsWith(name)));
}
