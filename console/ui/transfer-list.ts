import {
  $,
  bytesText,
  confirmed,
  countText,
  durationText,
  el,
  messageOf,
  shownText,
} from './dom.js';
import type { uploads as queue } from './transfers.js';

/** The list of transfers beside the page: each upload and job with its progress, speed and end. */

/** Speed is that of the last seconds: what happened before says little of what is left. */
const WINDOW_MS = 5000;
/** Lines of what has ended well: older ones go, and are counted. */
const ENDED_LINES_MAX = 20;
const HEAD_MS = 500;
/** Lines of what neither goes on nor waits for the user. */
const OVER = 'li[data-state]:not([data-state=resting])';

type Uploads = typeof queue;

type Counts = ReturnType<Uploads['counts']>;

type Unit = 'bytes' | 'objects';

/** A button of a line, with its action. */
type Action = readonly [label: string, work: () => void];

export type Line = ReturnType<typeof addTransfer>;

const running = new Map<symbol, () => void>();
let uploads: Uploads | null = null;

function wiredUploads() {
  if (uploads === null) throw new Error('the list of transfers is not wired yet');
  return uploads;
}

/** How fast something goes. */
export class Rate {
  #samples: [nowMs: number, done: number][] = [];

  /**
   * @param done bytes or objects so far
   * @param nowMs of a clock that never goes back
   */
  add(done: number, nowMs: number) {
    this.#samples.push([nowMs, done]);
    while (this.#samples.length > 2 && nowMs - (this.#samples[0]?.[0] ?? 0) > WINDOW_MS)
      this.#samples.shift();
  }

  /** @returns per second; null while there is too little to say */
  perSecond() {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last[0] - first[0] < 200) return null;
    return Math.max(0, ((last[1] - first[1]) / (last[0] - first[0])) * 1000);
  }
}

/**
 * A line in the list.
 *
 * @param given its title
 * @param options `onCancel` stops it, the line itself ends with `end` or `fail`; `onDismiss` is
 *   told when the user takes the line away
 */
export function addTransfer(
  given: string,
  options: { unit: Unit; onCancel: () => unknown; onDismiss?: () => void },
) {
  const { unit, onCancel, onDismiss = () => undefined } = options;
  const title = shownText(given);
  const bar = el('progress');
  bar.setAttribute('aria-label', title);
  const text = el('span', { className: 'quiet' });
  const buttons = el('span', { className: 'row end' });
  const failures = el('details', { hidden: true });
  const name = el('span', { className: 'what', textContent: title });
  const row = el('li', {}, name, bar, text, buttons, failures);
  const id = Symbol(title);
  let rate = new Rate();
  const setButtons = (...given: readonly Action[]) =>
    buttons.replaceChildren(
      ...given.map(([label, work]) => {
        const button = el('button', { textContent: label, onclick: work });
        button.setAttribute('aria-label', `${label}: ${title}`);
        return button;
      }),
    );
  const stop = () => {
    running.delete(id);
    showHead();
  };
  const remove = () => {
    // If the focus is in the row, it must not fall back to the top of the page.
    if (row.contains(document.activeElement)) $('#transfers').focus();
    row.remove();
    stop();
  };
  const leave = () => {
    remove();
    onDismiss();
  };
  const dismiss: Action = ['Dismiss', leave];
  const begin = (told = 'waiting') => {
    rate = new Rate();
    delete row.dataset.state;
    running.set(id, cancel);
    bar.removeAttribute('value');
    text.textContent = told;
    setButtons(['Cancel', cancel]);
    showHead();
  };
  const cancel = () => {
    text.textContent = 'cancelling…';
    Promise.resolve(onCancel()).catch((error: unknown) => (text.textContent = messageOf(error)));
  };
  $('#transfers').hidden = false;
  $('#queue').prepend(row);
  begin('starting');
  return {
    begin: () => begin(),
    remove,
    /** @param total null while it is not known */
    progress(done: number, total: number | null) {
      rate.add(done, performance.now());
      if (total === null) bar.removeAttribute('value');
      else Object.assign(bar, { max: Math.max(1, total), value: done });
      text.textContent = progressText(done, total, rate.perSecond(), unit);
    },
    /** @param action a button beside the outcome, such as the way back */
    end(message: string, action: Action | null = null) {
      stop();
      Object.assign(bar, { max: 1, value: 1 });
      row.dataset.state = 'ended';
      text.textContent = message;
      setButtons(...(action === null ? [] : [action]), dismiss);
      sink(row);
    },
    /** It waits for the user. */
    rest(message: string, action: Action) {
      stop();
      row.dataset.state = 'resting';
      text.textContent = message;
      setButtons(action, dismiss);
    },
    /**
     * @param retry null where it makes no sense
     * @param list of names with what was wrong
     */
    fail(
      message: string,
      retry: (() => void) | null,
      list: readonly { name: string; message: string }[] = [],
      retryText = 'Retry',
    ) {
      const again: readonly Action[] = retry === null ? [] : [[retryText, retry]];
      stop();
      row.dataset.state = 'failed';
      text.textContent = message;
      setButtons(...again, dismiss);
      failures.hidden = list.length === 0;
      failures.replaceChildren(
        el('summary', { textContent: 'Failures' }),
        el('ul', {}, ...list.map((one) => el('li', { textContent: failureText(one) }))),
      );
    },
  };
}

/** Below what runs and what failed; of those that sank the oldest go. */
function sink(row: HTMLElement) {
  row.remove();
  const ended = $('#queue').querySelectorAll('li[data-state=ended]');
  const first = ended[0];
  if (first === undefined) $('#queue').append(row);
  else first.before(row);
  if (ended.length >= ENDED_LINES_MAX) ended[ended.length - 1]?.remove();
}

function failureText({ name, message }: { name: string; message: string }) {
  return `${shownText(name)}: ${shownText(message)}`;
}

function progressText(done: number, total: number | null, perSecond: number | null, unit: Unit) {
  const inUnit = (value: number) =>
    unit === 'bytes' ? bytesText(value) : Math.round(value).toLocaleString();
  const parts = [total === null ? inUnit(done) : `${inUnit(done)} of ${inUnit(total)}`];
  if (perSecond !== null) parts.push(`${inUnit(perSecond)}/s`);
  if (perSecond !== null && perSecond > 0 && total !== null) {
    parts.push(`${durationText((total - done) / perSecond)} left`);
  }
  return parts.join(', ');
}

let timer: ReturnType<typeof setTimeout> | undefined;
let isStale = false;

/** Shows the head at once, and then not for a while: a queue of thousands changes all the time. */
export function showHead() {
  isStale = true;
  if (timer !== undefined) return;
  isStale = false;
  writeHead(wiredUploads().counts());
  timer = setTimeout(() => {
    timer = undefined;
    if (isStale) showHead();
  }, HEAD_MS);
}

/** The rate of files, whose number says more than their bytes if there are many. */
let fileRate = new Rate();

function writeHead(counts: Counts) {
  const { reading, waiting, done, ended, isPaused, heldText, failed, exists, cancelled } = counts;
  const active = running.size;
  if (waiting === 0 || isPaused) fileRate = new Rate();
  else fileRate.add(ended, performance.now());
  const numbers: readonly (readonly [number, string])[] = [
    [active, 'running'],
    [waiting, 'waiting'],
    [done, 'done'],
    [failed, 'failed'],
    [exists, 'already exist'],
    [cancelled, 'cancelled'],
  ];
  const parts = numbers
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString()} ${what}`);
  if (reading > 0) parts.push('reading folders');
  if (heldText !== '') parts.push(heldText);
  const perSecond = fileRate.perSecond();
  if (perSecond !== null && perSecond > 0) parts.push(`${durationText(waiting / perSecond)} left`);
  $('#transfers-count').textContent = parts.join(', ');
  // Some browsers take the focus from what is hidden at once.
  const hadFocus = $('#transfers').contains(document.activeElement);
  const again = failed + cancelled;
  setBulk('#retry-all', again, `Retry ${countText(again, 'upload')}`);
  setBulk('#overwrite-all', exists, `Overwrite ${exists.toLocaleString()}`);
  $('#cancel-all').hidden = active + waiting < 2;
  const over = failed + exists + cancelled + done;
  $('#clear-ended').hidden = over === 0 && $('#queue').querySelector(OVER) === null;
  const isEmpty = $('#queue').childElementCount === 0 && again + exists + waiting + reading === 0;
  $('#transfers').hidden = isEmpty;
  if (hadFocus) moveFocus(isEmpty);
}

/** Moves the focus from a button that has been hidden, or from all of the list. */
function moveFocus(isEmpty: boolean) {
  const focused = document.activeElement as HTMLElement | null;
  if (isEmpty) focusElsewhere();
  else if (focused === null || focused.hidden || !$('#transfers').contains(focused))
    $('#transfers').focus();
}

/** Buttons for all are for two or more: a single one has its own. */
function setBulk(selector: string, count: number, text: string) {
  $(selector).hidden = count < 2;
  $(selector).textContent = text;
}

let focusElsewhere = () => $('#main').focus();

/**
 * Makes the list ready, which each page has: `runTask` and `uploads` show lines in it.
 *
 * @param given the queue of uploads, whose lines are only some of it
 * @param focus where the focus goes when the list is gone
 */
export function wireTransferList(given: Uploads, focus: () => void = focusElsewhere) {
  uploads = given;
  focusElsewhere = focus;
  // A layer over the page leaves the list in sight.
  new ResizeObserver(() => {
    const height = `${$('#transfers').offsetHeight}px`;
    document.documentElement.style.setProperty('--transfers-height', height);
  }).observe($('#transfers'));
  $('#cancel-all').onclick = () => {
    given.cancelWaiting();
    for (const cancel of [...running.values()]) cancel();
  };
  $('#retry-all').onclick = () => given.again();
  $('#overwrite-all').onclick = askOverwrite;
  $('#clear-ended').onclick = () => {
    for (const row of $('#queue').querySelectorAll(OVER)) row.remove();
    given.clear();
    showHead();
  };
}

async function askOverwrite() {
  const { existing, overwrite } = wiredUploads();
  const items = existing();
  const text = `${items.length.toLocaleString()} existing objects will be replaced.`;
  const title = 'Overwrite existing objects';
  if (await confirmed(title, text, title, { danger: true })) overwrite(items);
}

/** Leaving the page would cut what goes on. */
export function isBusy() {
  const { waiting, reading } = wiredUploads().counts();
  return running.size + waiting + reading > 0;
}
