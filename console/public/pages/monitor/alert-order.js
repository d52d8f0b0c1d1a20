/**
 * Which alerts are shown, and under what: those of one kind, or of one node, as one row. Five rows at
 * most before one asks for all, and none that only may become one.
 */

const FEW = 5;

/** @typedef {'kind' | 'node'} By what alerts are grouped */

/**
 * @template A
 * @typedef {{ key: string, title: string, state: string, alerts: readonly A[] }} Group
 */

/** What a group is called whose alerts name no node. */
const NO_NODE = 'Gateway and cluster';

/**
 * @template {{ readonly state: string, readonly kind: string, readonly title: string,
 *   readonly severity: string, readonly node: string | null }} A
 * @param {readonly A[]} alerts the most severe first
 * @param {By} by
 * @returns {Group<A>[]} those that fire before those that are pending, each in the order of its first
 */
export function groupsOf(alerts, by) {
  /** @type {Map<string, A[]>} */
  const groups = new Map();
  for (const alert of alerts) {
    const about = by === 'node' ? (alert.node ?? '') : `${alert.kind}/${alert.severity}`;
    const key = `${alert.state}/${about}`;
    groups.set(key, [...(groups.get(key) ?? []), alert]);
  }
  const all = [...groups].map(([key, members]) => {
    const first = /** @type {A} */ (members[0]);
    const alone = members.length === 1 ? first.title : first.kind;
    const title = by === 'node' && members.length > 1 ? (first.node ?? NO_NODE) : alone;
    return { key, title, state: first.state, alerts: members };
  });
  const isFiring = (/** @type {Group<A>} */ { state }) => state === 'firing';
  return [...all.filter(isFiring), ...all.filter((one) => !isFiring(one))];
}

/**
 * @template {{ readonly state: string, readonly alerts: readonly unknown[] }} G
 * @param {readonly G[]} groups those that fire first
 * @param {boolean} all whether the user has asked for all of them
 * @returns {{ shown: readonly G[], rest: number }} the groups, and how many alerts are left out
 */
export function groupsToShow(groups, all) {
  const firing = groups.filter(({ state }) => state === 'firing');
  const shown = all ? groups : firing.slice(0, FEW);
  const count = (/** @type {readonly G[]} */ some) =>
    some.reduce((sum, { alerts }) => sum + alerts.length, 0);
  return { shown, rest: count(groups) - count(shown) };
}
