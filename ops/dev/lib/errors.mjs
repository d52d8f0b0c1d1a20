/** Errors of Node's own functions, for code that has to tell one failure from another. */

/**
 * The code of a system error, as `ENOENT`.
 *
 * @param {unknown} error
 * @returns {string} empty where there is none
 */
export function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
