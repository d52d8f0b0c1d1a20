import { call, query } from '../../../../ui/api.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { durationText, el } from '../../../../ui/dom.js';
import {
  card,
  facts,
  field,
  fields,
  fill,
  note,
  numberInput,
  numberText,
  pageHead,
  row,
  select,
  setViewState,
  stack,
  viewState,
} from '../../page/ground.js';
import { runHead, runPage, startForm } from '../../../../ui/run-page.js';
import { exhibitView } from './exhibit.js';
import { ageChart, classCard, CLASSES, exhibitTable } from './overview.js';
import type { ExhibitView, ScanView, ScansView } from '../page.js';

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.tombstones',
  listTitle: 'Scans',
  list: () => call('GET', '/lab/api/tombstones/scans'),
  read: (id) => call('GET', `/lab/api/tombstones/scans/${id}`, undefined, true),
  runOf: ({ scan }) => scan,
  form: startCard,
  show: scanView,
  columns: [],
});

function startCard({ unavailable }: ScansView, onStart: (id: string) => void) {
  if (unavailable !== null) {
    const text = `${unavailable.message} Set ${unavailable.needs} in the console's configuration.`;
    return el('div', { className: 'empty-state' }, el('p', { textContent: text }));
  }
  const files = numberInput('max_files', 200_000, { min: '1', step: '1' });
  const seconds = numberInput('max_s', 600, { min: '1', step: '1' });
  const dirs = numberInput('dirs_per_s', 2000, { min: '1', step: '1' });
  const content = [
    fields(
      field('Max files', files),
      field('Max seconds', seconds),
      field('Directories per second', dirs, 'limits the load on the disks'),
      el('button', { className: 'primary', textContent: 'Scan disks' }),
    ),
    note(
      'The scan only reads file names and attributes. It changes nothing and does not follow symbolic links.',
    ),
  ];
  const form = startForm(content, async () => {
    const { id } = await call('POST', '/lab/api/tombstones/scans', {
      max_files: Number(files.value),
      max_s: Number(seconds.value),
      dirs_per_s: Number(dirs.value),
    });
    onStart(id);
  });
  return card('Scan', form);
}

function scanView({ scan, age_edges_s: edges }: ScanView) {
  const { progress, result } = scan;
  const head = runHead(scan, 'Disks in node_root');
  if (result === null) {
    const done =
      progress === null ? [] : [`${progress.done} of ${progress.total ?? '?'} partitions`];
    return [card('Scan', ...head, ...done.map((textContent) => el('p', { textContent })))];
  }
  const { exhibits, files, denied, partial, names, reclaim_age_s: reclaim } = result;
  const place = el('div');
  const detail = stack();
  const chosen = select('class', [
    ['', 'all classes'],
    ...Object.keys(CLASSES).map((name) => [name, name] as const),
  ]);
  chosen.value = viewState().class ?? '';
  const list = (cursor: number) =>
    fill(place, async () => {
      const asked = query({ scan: scan.id, class: chosen.value, cursor });
      const page = await call('GET', `/lab/api/tombstones?${asked}`);
      const next = page.next;
      const shown = exhibitTable(page.items, (hash) => void openExhibit(hash));
      if (next === null) return [shown];
      return [shown, row(el('button', { textContent: 'Next', onclick: () => void list(next) }))];
    });
  const openExhibit = (hash: string) =>
    fill(detail, async () => {
      setViewState({ ...viewState(), exhibit: hash });
      const view = await call('GET', `/lab/api/tombstones/scans/${scan.id}/${hash}`);
      return exhibitView(view as unknown as ExhibitView);
    });
  chosen.addEventListener('change', () => {
    setViewState({ ...viewState(), class: chosen.value });
    void list(0);
  });
  void list(0);
  const { exhibit } = viewState();
  if (exhibit !== undefined) void openExhibit(exhibit);
  const notes = [
    ...(partial === null
      ? []
      : [`The scan stopped early (${partial}). There is more data on the disks.`]),
    ...(denied === 0
      ? []
      : [`The console does not have permission to read ${denied} directories.`]),
  ];
  return [
    card(
      'Summary',
      ...head,
      facts(
        ['Deleted objects', numberText(exhibits)],
        ['Files read', numberText(files)],
        [
          'Names found',
          numberText(names.xattr + names.sidecar),
          'from extended attributes or sidecar files',
        ],
        ['reclaim_age', durationText(reclaim)],
      ),
      ...notes.map((text) => note(text)),
    ),
    el(
      'div',
      { className: 'lab-columns' },
      new ChartFigure('Tombstone age', ageChart(result.ages, edges, reclaim)).element,
      classCard(result.classes),
    ),
    card('Exhibits', stack(field('Class', chosen), place)),
    detail,
  ];
}
