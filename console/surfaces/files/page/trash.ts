import { call, query } from '../../../ui/api.js';
import { el, ask } from '../../../ui/dom.js';
import { choice } from './s3/fields.js';
import { containerHere, folder, keepsDeleted, view } from './state.js';
import type { PageParameters } from './place.js';
import type { FolderRow, GoneRow, TrashRow } from './state.js';

/**
 * The deleted objects here: those in the trash, or those in the container's own versions.
 *
 * @param parameters with `marker`, deleted objects behind that name
 */
export async function trashRows(
  parameters: PageParameters,
): Promise<{ rows: (FolderRow | GoneRow | TrashRow)[]; truncated: boolean; next: string | null }> {
  const { prefix } = view;
  const container = containerHere();
  if (keepsDeleted()) {
    const place = query({ container, prefix, marker: parameters.marker ?? null });
    const answer = await call('GET', `/api/files/versions/deleted?${place}`);
    const rows = answer.items.map((one) => ({
      kind: 'gone' as const,
      name: one.name,
      display: one.name,
      bytes: one.bytes,
      last_modified: one.deleted,
    }));
    return { rows, truncated: false, next: answer.next_marker };
  }
  const start = folder();
  const place = { container, by: 'folder', prefix: start };
  const answer = await call('GET', `/api/files/trash?${query(place)}`);
  const folders = answer.folders.map((one) => ({
    kind: 'folder' as const,
    name: one.name,
    display: one.name.slice(start.length),
    objects: one.objects,
    bytes: one.bytes,
    last_modified: new Date(one.deleted_unix_ms).toISOString(),
  }));
  const rows = answer.items.map((one) => ({
    kind: 'trash' as const,
    name: one.trash_name,
    display: one.name.slice(start.length),
    bytes: one.bytes,
    slo_etag: one.kind === 'slo' ? '' : undefined,
    last_modified: new Date(one.deleted_unix_ms).toISOString(),
    expires_unix_s: one.expires_unix_s,
    expired: one.expired,
  }));
  return { rows: [...folders, ...rows], truncated: answer.truncated, next: null };
}

const CONFLICTS = [
  ['fail', 'Keep in trash'],
  ['rename', 'Restore under another name'],
  ['replace', 'Replace the existing object'],
] as const;

/**
 * @param names how many names are taken
 * @returns what to do where an object has the name again; null when the dialog was closed
 */
export async function askConflict(names: number) {
  const text =
    names === 1
      ? 'An object with this name already exists.'
      : `${names} objects with these names already exist.`;
  const nodes = [
    el('p', { textContent: text }),
    choice('If an item already exists', 'on_conflict', CONFLICTS).node,
  ];
  return (await ask('Restore', nodes, 'Restore'))?.on_conflict ?? null;
}
