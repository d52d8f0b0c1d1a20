import { call, query, raw } from '../../../ui/api.js';
import { bytesText, el, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { badge, card, download, field, table } from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { toast } from '../../../ui/toast.js';
import { check, checkbox, nodeChoice, quietLine, show, wayButton } from './views.js';
import type { DeployFiles } from '../answers.js';
import type { Run } from './control.js';

type RunFile = DeployFiles['files'][number];

/** The files of the nodes as a run leaves them; they are asked for when they are wanted. */
export function filesCard(run: Run) {
  const place = el('div', { className: 'deploy-panel' });
  const list = wayButton({
    text: 'List files',
    work: () =>
      show(place, async () => {
        const { files } = await call('GET', `/deploy/api/artifacts/${encodeURIComponent(run.id)}`);
        return fileList(run, files);
      }),
  });
  place.append(
    quietLine('You can download every node file as this run leaves it. Secrets are masked.'),
    el('div', { className: 'row' }, list),
  );
  return card('Files', place);
}

function fileList(run: Run, files: readonly RunFile[]) {
  const node = nodeChoice(files);
  const only = checkbox('changed');
  const list = el('div');
  const draw = () => {
    const own = files.filter((one) => one.node === node.value && (!only.checked || one.changed));
    list.replaceChildren(fileTable(run, own));
  };
  node.onchange = draw;
  only.onchange = draw;
  draw();
  const choose = el(
    'div',
    { className: 'deploy-choose' },
    field('Node', node),
    check(only, 'Only files changed by this run'),
  );
  return [choose, list];
}

function fileTable(run: Run, files: readonly RunFile[]) {
  return table(
    'Run files',
    [
      { title: 'File', value: (row) => row.path },
      {
        title: 'Change',
        value: (row) => (row.changed ? 'changed' : 'unchanged'),
        cell: (row) => badge(row.changed ? 'changed' : 'unchanged', row.changed ? 'info' : ''),
      },
      {
        title: 'SHA-256',
        value: (row) => row.sha256,
        cell: (row) => el('code', { textContent: row.sha256.slice(0, 12), title: row.sha256 }),
      },
      { title: 'Download', value: () => null, cell: (row) => downloadButton(run, row) },
    ],
    files,
  );
}

function downloadButton({ id }: Run, { node, path }: RunFile) {
  const button = el('button', { type: 'button', className: 'plain' }, icon('download'), 'Download');
  button.ariaLabel = `Download ${shownText(path)} from ${shownText(node)}`;
  button.onclick = () => {
    // Asked for by the page, and not by a link: what goes wrong is told here.
    raw('GET', `/deploy/api/artifacts?${query({ run: id, node, path })}`)
      .then((answer) => answer.blob())
      .then((content) => {
        const name = path.slice(path.lastIndexOf('/') + 1);
        download(name, content, 'application/octet-stream');
        toast(`Downloaded ${name} (${bytesText(content.size)}).`);
      })
      .catch(fail);
  };
  return button;
}
