/** Which alerts are shown before one asks for all: five at most, and none that only may become one. */

const FEW = 5;

/**
 * @template {{ readonly state: string }} A
 * @param {readonly A[]} alerts the most severe first
 * @param {boolean} all whether the user has asked for all of them
 * @returns {{ shown: readonly A[], rest: number }} those that fire before those that are pending, and
 *   how many are left out
 */
export function alertsToShow(alerts, all) {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const pending = alerts.filter(({ state }) => state !== 'firing');
  const shown = all ? [...firing, ...pending] : firing.slice(0, FEW);
  return { shown, rest: alerts.length - shown.length };
}
