import { call, query } from '../../../js/api.js';
import { ChartFigure } from '../../../js/charts/figure.js';
import { $, durationText, el } from '../../../js/dom.js';
import { timeElement } from '../../../js/times.js';
import {
  card,
  field,
  figures,
  fill,
  input,
  numberText,
  pageHead,
  problem,
  select,
  setViewState,
  table,
  viewState,
} from '../ground.js';
import { exhibitView } from './exhibit.js';
import { ageChart, classCard, CLASSES, exhibitTable } from './overview.js';

/**
 * @typedef {import('../../../../surfaces/lab/tombstones/page.js').ExhibitView} ExhibitView
 * @typedef {import('../../../../surfaces/lab/tombstones/page.js').ScansView} ScansView
 * @typedef {import('../../../../surfaces/lab/tombstones/page.js').ScanView} ScanView
 */

const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** @type {(id: string | undefined) => void} what to do with news: of one scan, or of any */
let onNews = () => undefined;

/** @type {import('../../../js/api.js').Topics} */
export const topics = {
  runs: ({ id, kind }) => {
    if (kind === 'lab.tombstones') onNews(id);
  },
};

/** Whatever was said while there was no connection is asked for now. */
export function onConnection(/** @type {import('../../../js/api.js').StreamState} */ state) {
  if (state !== 'stale') onNews(undefined);
}

/** Starts scans, and shows what they found. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const form = el('div');
  const list = el('div');
  const detail = el('div', { className: 'lab-page' });
  main.append(
    pageHead('Tombstone Museum', 'What is left on the disks of objects that were deleted.'),
    form,
    detail,
    list,
  );
  let shown = '';
  let isOver = false;
  const refresh = () =>
    fill(list, async () => [scanTable(await call('GET', '/lab/api/tombstones/scans'), open)]);
  const show = async () => {
    const id = shown;
    try {
      const view = await call('GET', `/lab/api/tombstones/scans/${id}`, undefined, true);
      if (shown !== id) return;
      isOver = OVER.includes(view.scan.state);
      detail.replaceChildren(...scanView(view));
      if (isOver) await refresh();
    } catch (error) {
      if (shown === id) detail.replaceChildren(problem(error));
    }
  };
  const open = (/** @type {string} */ id) => {
    shown = id;
    isOver = false;
    setViewState({ ...(viewState().scan === id ? viewState() : {}), scan: id });
    void show();
  };
  onNews = (id) => {
    if (shown !== '' && !isOver && (id === undefined || id === shown)) void show();
  };
  await fill(form, async () => {
    const view = await call('GET', '/lab/api/tombstones/scans');
    return [startCard(view, open)];
  });
  await refresh();
  const { scan } = viewState();
  if (scan !== undefined) open(scan);
}

/**
 * @param {ScansView} view
 * @param {(id: string) => void} onStart
 */
function startCard({ unavailable }, onStart) {
  if (unavailable !== null) {
    const text = `${unavailable.message} Set ${unavailable.needs} in the console's configuration.`;
    return el('div', { className: 'empty-state' }, el('p', { textContent: text }));
  }
  const number = (/** @type {string} */ name, /** @type {number} */ value) =>
    input(name, { type: 'number', min: '1', step: '1', value: String(value) });
  const controls = {
    files: number('max_files', 200_000),
    seconds: number('max_s', 600),
    dirs: number('dirs_per_s', 2000),
  };
  const said = el('div');
  const form = el(
    'form',
    { className: 'lab-form' },
    field('Files at most', controls.files),
    field('Seconds at most', controls.seconds),
    field('Folders a second', controls.dirs, 'so that the disks have time for others'),
    el('button', { className: 'primary', textContent: 'Scan the disks' }),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    said.replaceChildren();
    try {
      const { id } = await call('POST', '/lab/api/tombstones/scans', {
        max_files: Number(controls.files.value),
        max_s: Number(controls.seconds.value),
        dirs_per_s: Number(controls.dirs.value),
      });
      onStart(id);
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
  const note =
    'The scan reads names and attributes of files. It changes nothing, and follows no link.';
  return card('Scan', form, el('p', { className: 'lab-note', textContent: note }), said);
}

/**
 * @param {ScansView} scans
 * @param {(id: string) => void} onOpen
 */
function scanTable({ items }, onOpen) {
  if (items.length === 0) {
    return card('Scans', el('p', { className: 'quiet', textContent: 'There was no scan yet.' }));
  }
  return card(
    'Scans',
    table(
      'Scans',
      [
        {
          title: 'When',
          value: (row) => row.started_unix_s,
          cell: (row) => {
            const at = timeElement(1000 * row.started_unix_s);
            return el('button', { className: 'plain', onclick: () => onOpen(row.id) }, at);
          },
        },
        { title: 'State', value: (row) => row.state },
        { title: 'By', value: (row) => row.actor },
      ],
      items,
    ),
  );
}

/** @param {ScanView} view */
function scanView({ scan, age_edges_s: edges }) {
  const { progress, result, state, error } = scan;
  if (error !== null) return [problem(error)];
  if (result === null) {
    const done =
      progress === null ? state : `${progress.done} of ${progress.total ?? '?'} partitions`;
    return [card('Scan', el('p', { textContent: done }))];
  }
  const { exhibits, files, denied, partial, names, reclaim_age_s: reclaim } = result;
  const place = el('div');
  const detail = el('div', { className: 'lab-page' });
  const chosen = select('class', [
    ['', 'all classes'],
    ...Object.keys(CLASSES).map((name) => /** @type {const} */ ([name, name])),
  ]);
  chosen.value = viewState().class ?? '';
  const list = (/** @type {number} */ cursor) =>
    fill(place, async () => {
      const asked = query({ scan: scan.id, class: chosen.value, cursor });
      const page = await call('GET', `/lab/api/tombstones?${asked}`);
      const next = page.next;
      const more = next === null ? [] : [nextButton(() => void list(next))];
      return [exhibitTable(page.items, (hash) => void openExhibit(hash)), ...more];
    });
  const openExhibit = (/** @type {string} */ hash) =>
    fill(detail, async () => {
      setViewState({ ...viewState(), exhibit: hash });
      const view = await call('GET', `/lab/api/tombstones/scans/${scan.id}/${hash}`);
      return exhibitView(/** @type {ExhibitView} */ (/** @type {unknown} */ (view)));
    });
  chosen.addEventListener('change', () => {
    setViewState({ ...viewState(), class: chosen.value });
    void list(0);
  });
  void list(0);
  const { exhibit } = viewState();
  if (exhibit !== undefined) void openExhibit(exhibit);
  const notes = [
    ...(partial === null ? [] : [`The scan ended ${partial}: more is on the disks.`]),
    ...(denied === 0 ? [] : [`${denied} folders may not be read by the console.`]),
  ];
  return [
    card(
      'In short',
      figures([
        { label: 'Deleted objects', value: numberText(exhibits) },
        { label: 'Files read', value: numberText(files) },
        {
          label: 'With a name',
          value: numberText(names.xattr + names.sidecar),
          hint: 'from attributes of files, or files beside them',
        },
        { label: 'reclaim_age', value: durationText(reclaim) },
      ]),
      ...notes.map((textContent) => el('p', { className: 'lab-note', textContent })),
    ),
    el(
      'div',
      { className: 'lab-columns' },
      new ChartFigure('Age of tombstones', ageChart(result.ages, edges, reclaim)).element,
      classCard(result.classes),
    ),
    card('Exhibits', el('div', { className: 'lab-page' }, field('Class', chosen), place)),
    detail,
  ];
}

/** @param {() => void} onclick */
function nextButton(onclick) {
  return el('div', { className: 'row' }, el('button', { textContent: 'Next', onclick }));
}
