/** The labels that tell the series of a metric apart. */
export type Labels = Readonly<Record<string, string>>;

/** The same text for the same labels, in whichever order. */
export function keyOfLabels(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether all these labels are among those of a series. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** The labels of `names`, in their order; a missing one is an empty text, like in PromQL. */
export function pick(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));
}
