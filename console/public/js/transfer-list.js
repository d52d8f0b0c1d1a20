import { $, bytesText, durationText, el } from './dom.js';

/** What goes on beside the page: each upload and job with its progress, speed and end. */

/** Speed is that of the last seconds: what happened before says little of what is left. */
const WINDOW_MS = 5000;
const running = new Map();

/** How fast something goes. */
export class Rate {
  #samples = [];

  /** @param done - bytes or objects so far @param nowMs - of a clock that never goes back */
  add(done, nowMs) {
    this.#samples.push([nowMs, done]);
    while (this.#samples.length > 2 && nowMs - this.#samples[0][0] > WINDOW_MS)
      this.#samples.shift();
  }

  /** @returns per second; null while there is too little to say */
  perSecond() {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last[0] - first[0] < 200) return null;
    return Math.max(0, ((last[1] - first[1]) / (last[0] - first[0])) * 1000);
  }
}

/**
 * A line in the list.
 *
 * @param unit - `bytes` or `objects`
 * @param onCancel - stops it; the line itself ends with `end` or `fail`
 */
export function addTransfer(title, { unit, onCancel }) {
  const bar = el('progress');
  bar.setAttribute('aria-label', title);
  const text = el('span', { className: 'quiet', textContent: 'waiting' });
  const buttons = el('span', { className: 'row' });
  const failures = el('details', { hidden: true });
  const name = el('span', { className: 'what', textContent: title });
  const row = el('li', {}, name, bar, text, buttons, failures);
  const id = Symbol(title);
  let rate = new Rate();
  const setButtons = (...given) =>
    buttons.replaceChildren(
      ...given.map(([label, work]) => {
        const button = el('button', { textContent: label, onclick: work });
        button.setAttribute('aria-label', `${label}: ${title}`);
        return button;
      }),
    );
  const dismiss = ['Dismiss', () => remove(row)];
  const stop = () => {
    running.delete(id);
    showHead();
  };
  const begin = () => {
    rate = new Rate();
    delete row.dataset.state;
    running.set(id, cancel);
    setButtons(['Cancel', cancel]);
    showHead();
  };
  const cancel = () => {
    text.textContent = 'cancelling';
    Promise.resolve(onCancel()).catch((error) => (text.textContent = error.message));
  };
  $('#transfers').hidden = false;
  $('#queue').prepend(row);
  begin();
  return {
    begin,
    /** @param total - null while it is not known */
    progress(done, total) {
      rate.add(done, performance.now());
      if (total === null) bar.removeAttribute('value');
      else Object.assign(bar, { max: Math.max(1, total), value: done });
      text.textContent = progressText(done, total, rate.perSecond(), unit);
    },
    end(message) {
      stop();
      Object.assign(bar, { max: 1, value: 1 });
      row.dataset.state = 'ended';
      text.textContent = message;
      setButtons(dismiss);
    },
    /** @param retry - null where it makes no sense @param list - of names with what was wrong */
    fail(message, retry, list = [], retryText = 'Retry') {
      stop();
      row.dataset.state = 'failed';
      text.textContent = message;
      if (bar.getAttribute('value') === null) bar.value = 0;
      setButtons(...(retry === null ? [] : [[retryText, retry]]), dismiss);
      failures.hidden = list.length === 0;
      failures.replaceChildren(
        el('summary', { textContent: 'What failed' }),
        el('ul', {}, ...list.map((one) => el('li', { textContent: failureText(one) }))),
      );
    },
  };
}

function failureText({ name, code }) {
  return `${name}: ${code.replaceAll('_', ' ')}`;
}

function progressText(done, total, perSecond, unit) {
  const inUnit = (value) =>
    unit === 'bytes' ? bytesText(value) : Math.round(value).toLocaleString();
  const parts = [total === null ? inUnit(done) : `${inUnit(done)} of ${inUnit(total)}`];
  if (perSecond !== null) parts.push(`${inUnit(perSecond)}/s`);
  if (perSecond > 0 && total !== null) {
    parts.push(`${durationText((total - done) / perSecond)} left`);
  }
  return parts.join(', ');
}

function remove(row) {
  row.remove();
  showHead();
}

function showHead() {
  const count = running.size;
  $('#transfers-count').textContent = count === 0 ? '' : `${count} running`;
  $('#cancel-all').hidden = count < 2;
  $('#clear-ended').hidden = $('#queue [data-state]') === null;
  $('#transfers').hidden = $('#queue').childElementCount === 0;
}

export function wireTransferList() {
  $('#cancel-all').onclick = () => {
    for (const cancel of [...running.values()]) cancel();
  };
  $('#clear-ended').onclick = () => {
    for (const row of $('#queue').querySelectorAll('[data-state]')) row.remove();
    showHead();
  };
}

/** Leaving the page would cut what goes on. */
export function isBusy() {
  return running.size > 0;
}
