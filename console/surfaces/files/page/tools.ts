import { $ } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { deletedTitle } from './crumbs.js';
import { folder, keepsDeleted, may, view } from './state.js';

/** A button has its words beside its icon. */
function setWords(selector: string, text: string) {
  const button = $(selector);
  (button.querySelector('.words') ?? button).textContent = text;
}

/** Which buttons there are for what is shown. */
export function showTools() {
  const inFiles = view.container !== null && view.mode === 'files';
  const canUpload = inFiles && may('member');
  for (const id of ['upload', 'upload-folder', 'new-folder']) $(`#${id}`).hidden = !canUpload;
  $('#jump').hidden = $('#search').hidden = !inFiles;
  const hasPlace = view.container !== null;
  $('#show-trash').hidden = $('#refresh').hidden = !hasPlace;
  const isTrash = view.mode === 'trash';
  setWords('#show-trash', isTrash ? 'Back to files' : deletedTitle());
  $('#show-trash .icon').replaceWith(icon(isTrash ? 'arrow-left' : 'trash-2'));
  $('#changed').textContent = isTrash ? 'Deleted' : 'Last modified';
  showTrashTools();
  setWords('#delete', keepsDeleted() ? 'Delete' : 'Move to trash');
}

/** Shows the tools for all of the trash, or for one folder in it. */
export function showTrashTools() {
  const hasRows = view.mode === 'trash' && view.rows.length > 0;
  $('#restore-all').hidden = !hasRows || !may('member');
  $('#empty-trash').hidden = !hasRows || keepsDeleted() || folder() !== '' || !may('admin');
}
