import { call, query } from '../../../../ui/api.js';
import { timeText } from '../../../../ui/clock.js';
import { ask, el } from '../../../../ui/dom.js';
import { may, type ObjectPlace } from '../state.js';
import { typedName } from '../../../../ui/typed-name.js';
import { box, choice, factList, field, localTime, quiet } from './fields.js';
import { LOCK_MODES } from './retention-fields.js';
import type { S3VersionView } from '../../s3/s3-objects.js';

type VersionPlace = ObjectPlace & { readonly version_id: string };

type Locks = Pick<S3VersionView, 'lock_mode' | 'retain_until' | 'legal_hold'>;

const DAY_MS = 86_400_000;

async function locksOf(place: VersionPlace): Promise<Locks> {
  return (await call('GET', `/api/files/versions/properties?${query(place)}`)).s3;
}

function isRetained({ lock_mode: mode, retain_until: until }: Locks) {
  return mode !== null && until !== null && Date.parse(until) > Date.now();
}

/**
 * The retention and the legal hold of one version, and their change.
 *
 * @param when of the version, in words
 * @returns whether something was changed
 */
export async function showLocks(place: VersionPlace, when: string) {
  const locks = await locksOf(place);
  const title = `Object Lock: version from ${when}`;
  const now = factList({
    Retention: retentionText(locks),
    'Legal hold': locks.legal_hold ? 'on' : 'off',
  });
  if (!may('admin')) {
    await ask(title, [now, quiet('Only admins can change this.')]);
    return false;
  }
  const form = formOf(place, locks);
  const given = await ask(title, [now, ...form.nodes], 'Save', form.save);
  return given !== null;
}

function formOf(place: VersionPlace, locks: Locks) {
  const former = isRetained(locks) ? (locks.lock_mode ?? '') : '';
  const until = former === '' ? Date.now() + DAY_MS : Date.parse(locks.retain_until ?? '');
  const hold = box('Legal hold: no one can delete this version until the hold is removed', {
    checked: locks.legal_hold,
  });
  const isCompliance = former === 'COMPLIANCE';
  const modes = LOCK_MODES.filter(([one]) => !isCompliance || one === 'COMPLIANCE');
  const mode = choice('Retention', 'mode', modes, former);
  const date = field('Retain until', { type: 'datetime-local', value: localTime(until) });
  const bypass = box('Bypass governance retention', {});
  const typed = typedName(place.name);
  const show = () => {
    date.node.hidden = mode.select.value === '';
    date.input.required = mode.select.value !== '';
    typed.need(bypass.input.checked || (mode.select.value === 'COMPLIANCE' && !isCompliance));
  };
  bypass.node.hidden = former !== 'GOVERNANCE';
  for (const input of [mode.select, bypass.input]) input.addEventListener('change', show);
  show();
  const save = async () => {
    const at = Math.floor(new Date(date.input.value).getTime() / 1000);
    const isSame = mode.select.value === former && date.input.value === localTime(until);
    if (!isSame) {
      const retention =
        mode.select.value === '' ? null : { mode: mode.select.value, until_unix_s: at };
      // A retention in compliance mode is only extended: the name was typed when it began.
      const name = isCompliance ? { confirm_name: place.name } : typed.given();
      const body = { ...place, retention, bypass: bypass.input.checked, ...name };
      await call('PUT', '/api/files/versions/retention', body);
    }
    if (hold.input.checked !== locks.legal_hold) {
      await call('PUT', '/api/files/versions/legal-hold', { ...place, on: hold.input.checked });
    }
  };
  return { nodes: [hold.node, mode.node, date.node, bypass.node, typed.node], save };
}

function retentionText(locks: Locks) {
  const { lock_mode: mode, retain_until: until } = locks;
  if (mode === null || until === null) return 'none';
  const text = `${mode.toLowerCase()} until ${timeText(until)}`;
  return isRetained(locks) ? text : `${text} (over)`;
}

/**
 * Asks before a version is deleted for good: its name has to be typed, and what is retained in
 * governance mode bypassed.
 *
 * @param text what will be gone
 */
export async function askToDelete(
  place: VersionPlace,
  text: string,
): Promise<{ confirm_name: string; bypass: boolean } | null> {
  const locks = await locksOf(place);
  const typed = typedName(place.name);
  typed.need(true);
  const bypass = box('Bypass governance retention', { required: true });
  const nodes: Node[] = [el('p', { textContent: text })];
  if (isRetained(locks) && locks.lock_mode === 'GOVERNANCE') {
    const why = `This version is under governance-mode retention until ${timeText(locks.retain_until ?? '')}.`;
    nodes.push(el('p', { className: 'error', textContent: why }), bypass.node);
  }
  nodes.push(typed.node);
  const check = async () => typed.given();
  const danger = { danger: true };
  const given = await ask('Delete version', nodes, 'Delete permanently', check, danger);
  return given === null ? null : { confirm_name: place.name, bypass: bypass.input.checked };
}
