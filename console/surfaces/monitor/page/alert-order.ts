/**
 * Which alerts are shown, and under what: those of one kind, or of one node, as one row. Five rows at
 * most before one asks for all, and none that only may become one.
 */

const FEW = 5;

/** The property by which alerts are grouped. */
export type By = 'kind' | 'node';

export interface Group<A> {
  key: string;
  title: string;
  state: string;
  alerts: readonly A[];
}

/** The title of a group whose alerts name no node. */
const NO_NODE = 'Gateway and cluster';

/**
 * @param alerts the most severe first
 * @returns those that fire before those that are pending, each in the order of its first
 */
export function groupsOf<
  A extends Readonly<Record<'state' | 'kind' | 'title' | 'severity', string>> & {
    readonly node: string | null;
  },
>(alerts: readonly A[], by: By): Group<A>[] {
  const groups = new Map<string, A[]>();
  for (const alert of alerts) {
    const about = by === 'node' ? (alert.node ?? '') : `${alert.kind}/${alert.severity}`;
    const key = `${alert.state}/${about}`;
    groups.set(key, [...(groups.get(key) ?? []), alert]);
  }
  const all = [...groups].map(([key, members]) => {
    const first = members[0] as A;
    const alone = members.length === 1 ? first.title : first.kind;
    const title = by === 'node' && members.length > 1 ? (first.node ?? NO_NODE) : alone;
    return { key, title, state: first.state, alerts: members };
  });
  const isFiring = ({ state }: Group<A>) => state === 'firing';
  return [...all.filter(isFiring), ...all.filter((one) => !isFiring(one))];
}

/**
 * @param groups those that fire first
 * @param all whether the user has asked for all of them
 * @returns the groups, and how many alerts are left out
 */
export function groupsToShow<
  G extends { readonly state: string; readonly alerts: readonly unknown[] },
>(groups: readonly G[], all: boolean): { shown: readonly G[]; rest: number } {
  const firing = groups.filter(({ state }) => state === 'firing');
  const shown = all ? groups : firing.slice(0, FEW);
  const count = (some: readonly G[]) => some.reduce((sum, { alerts }) => sum + alerts.length, 0);
  return { shown, rest: count(groups) - count(shown) };
}
