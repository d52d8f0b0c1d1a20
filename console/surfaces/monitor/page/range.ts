import { $, el } from '../../../ui/dom.js';
import { now } from './clock.js';
import { place, setPlace } from './place.js';

/** The range of all charts, and of the log: so many seconds up to now, or from and to. */

const NAMES: Record<number, readonly [short: string, spoken: string]> = {
  900: ['15m', 'Last 15 minutes'],
  3600: ['1h', 'Last hour'],
  21600: ['6h', 'Last 6 hours'],
  86400: ['24h', 'Last 24 hours'],
  604800: ['7d', 'Last 7 days'],
  2592000: ['30d', 'Last 30 days'],
};

let live = true;

export const isLive = () => live && place.from === '';

/** Unix seconds. */
export type Range = ReturnType<typeof currentRange>;

export function currentRange() {
  if (place.from !== '') return { from: Number(place.from), to: Number(place.to) };
  const to = Math.floor(now());
  return { from: to - Number(place.range), to };
}

/**
 * @param ranges seconds
 * @param onLive told when the charts shall go on, or stop
 */
export function showRange(ranges: readonly number[], onLive: () => void) {
  const choices = ranges.map((range) => {
    const radio = el('input', { type: 'radio', name: 'range', value: String(range) });
    const [short, spoken] = NAMES[range] ?? [`${range}s`, `Last ${range} seconds`];
    radio.ariaLabel = spoken;
    radio.onchange = () => setPlace({ range: radio.value, from: '', to: '' });
    return el('label', {}, radio, el('span', { textContent: short }));
  });
  const custom = el('input', { type: 'radio', name: 'range', value: 'custom', id: 'range-custom' });
  custom.onchange = () => openCustom();
  // A choice that is made already opens its fields again.
  custom.onclick = () => openCustom();
  choices.push(el('label', {}, custom, el('span', { textContent: 'Custom' })));
  const field = (id: string, text: string) =>
    el('label', {}, text, el('input', { id, type: 'datetime-local', required: true }));
  const form = el(
    'form',
    { id: 'custom', className: 'row custom', hidden: true, onsubmit: applyCustom },
    field('from', 'From '),
    field('to', 'To '),
    el('button', { className: 'primary', textContent: 'Apply' }),
  );
  const message = el('p', { id: 'range-message', className: 'error', role: 'alert' });
  const toggle = el('button', { id: 'live', textContent: 'Live' });
  toggle.onclick = () => {
    if (place.from !== '') setPlace({ from: '', to: '' });
    else live = !live;
    markRange();
    onLive();
  };
  const group = el(
    'fieldset',
    { className: 'segments' },
    el('legend', { className: 'sr', textContent: 'Range' }),
    ...choices,
  );
  $('#range').replaceChildren(group, toggle);
  $('#custom-range').replaceChildren(form, message);
  markRange();
}

export function markRange() {
  const chosen = place.from === '' ? place.range : 'custom';
  for (const radio of $('#range').querySelectorAll('input')) {
    radio.checked = radio.value === chosen;
  }
  if (chosen !== 'custom') $('#custom').hidden = true;
  const toggle = $('#live');
  toggle.ariaPressed = String(isLive());
  toggle.title = isLive() ? 'Charts update automatically' : 'Charts are paused';
}

function openCustom() {
  const { from, to } = currentRange();
  $('#custom').hidden = false;
  $('#from').value = fieldText(from);
  $('#to').value = fieldText(to);
}

function applyCustom(event: SubmitEvent) {
  event.preventDefault();
  const from = Math.floor(new Date($('#from').value).getTime() / 1000);
  const to = Math.floor(new Date($('#to').value).getTime() / 1000);
  const wrong = !(from < to);
  $('#range-message').textContent = wrong ? 'The end of the range must be after its start.' : '';
  if (!wrong) setPlace({ from: String(from), to: String(to) });
}

/** A time as fields for date and time need it: in the browser's time zone, without its name. */
function fieldText(unixS: number) {
  const time = new Date(unixS * 1000);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
