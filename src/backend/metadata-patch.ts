import type { Metadata, MetadataPatch } from './refs.js';

/** `values` with the changes of a patch. */
export function patched(values: Metadata, patch: MetadataPatch | undefined): Metadata {
  if (patch === undefined) return values;
  const merged = new Map(Object.entries(values));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** `added` wins where both have a name. */
export function joined(
  values: Metadata | undefined,
  added: Metadata | undefined,
): Metadata | undefined {
  if (values === undefined || added === undefined) return values ?? added;
  return Object.fromEntries([...Object.entries(values), ...Object.entries(added)]);
}
