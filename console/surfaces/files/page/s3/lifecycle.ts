import { call, query } from '../../../../ui/api.js';
import { ask, bytesText, closeDialog, el, shownText } from '../../../../ui/dom.js';
import { runPreview } from '../../../../ui/run-task.js';
import { may } from '../state.js';
import { factList, quiet, scrolledTable } from './fields.js';
import { editLifecycleRule, ruleText } from './lifecycle-rule.js';
import type { LifecycleRuleView as Rule } from '../../s3/lifecycle-model.js';
import type { LifecyclePreview as Preview } from '../../s3/lifecycle-preview.js';

const EFFECTS: Readonly<Record<string, string>> = {
  expire: 'delete permanently',
  mark: 'add delete markers',
  transition: 'move to another storage class',
  expire_version: 'delete noncurrent versions',
  transition_version: 'move noncurrent versions to another storage class',
  remove_marker: 'delete expired object delete markers',
  abort_upload: 'abort incomplete multipart uploads',
};

/**
 * The lifecycle rules of a bucket: a list, each rule in a dialog of its own, a preview, and saving
 * all of them at once.
 */
export async function showLifecycle(name: string, hasVersions: boolean) {
  const { rules, digest: was } = await call('GET', `/api/files/lifecycle?${query({ name })}`);
  await listRules({ name, hasVersions, saved: JSON.stringify(rules), was }, rules);
}

interface Bucket {
  name: string;
  hasVersions: boolean;
  saved: string;
  was: string;
}
async function listRules(bucket: Bucket, rules: readonly Rule[]): Promise<void> {
  let next: (() => Promise<void>) | null = null;
  /** @param work what follows when this dialog is closed */
  const leave = (work: () => Promise<void>) => () => {
    next = work;
    void closeDialog();
  };
  const mayChange = may('admin');
  const items = rules.map((rule, index) => {
    const others = (...put: readonly Rule[]) => rules.toSpliced(index, 1, ...put);
    const edit = leave(async () => {
      const changed = await editLifecycleRule(rule, bucket.hasVersions);
      await listRules(bucket, changed === null ? rules : others(changed));
    });
    const remove = leave(() => listRules(bucket, others()));
    return ruleItem(rule, bucket.hasVersions, mayChange ? { edit, remove } : null);
  });
  const add = leave(async () => {
    const made = await editLifecycleRule(null, bucket.hasVersions);
    await listRules(bucket, made === null ? rules : [...rules, made]);
  });
  const preview = leave(async () => {
    await showPreview(bucket, rules);
    await listRules(bucket, rules);
  });
  const buttons = el('div', { className: 'row' });
  if (mayChange) buttons.append(button('Add rule', add));
  if (rules.length > 0) buttons.append(button('Preview', preview));
  const isChanged = JSON.stringify(rules) !== bucket.saved;
  const nodes = [
    rules.length === 0
      ? quiet('No rules. Nothing is deleted or moved automatically.')
      : el('ol', { className: 'rules' }, ...items),
    buttons,
    ...(isChanged ? [quiet('Unsaved changes.')] : []),
  ];
  const { name, hasVersions, was } = bucket;
  const save = () => call('PUT', '/api/files/lifecycle', { name, rules, was });
  const again = () => showLifecycle(name, hasVersions);
  await ask('Lifecycle rules', nodes, isChanged ? 'Save' : undefined, save, { again });
  const follow = next as (() => Promise<void>) | null;
  if (follow !== null) await follow();
}

/**
 * A rule in a list, in words.
 *
 * @param hasVersions of the bucket
 * @param can null: it is only shown
 */
export function ruleItem(
  rule: Rule,
  hasVersions: boolean,
  can: { edit: () => void; remove: () => void } | null,
) {
  const label = rule.id === '' ? 'new rule' : rule.id;
  const name = el('strong', { textContent: shownText(label) });
  const off = rule.enabled
    ? []
    : [' ', el('span', { className: 'badge', textContent: 'disabled' })];
  const lines = ruleText(rule, hasVersions).map((textContent) => el('li', { textContent }));
  const buttons = el('div', { className: 'row' });
  if (can !== null) {
    const remove = button('Remove', can.remove, 'danger');
    const edit = button('Edit', can.edit);
    edit.setAttribute('aria-label', `Edit ${label}`);
    remove.setAttribute('aria-label', `Remove ${label}`);
    buttons.append(edit, remove);
  }
  return el('li', {}, name, ...off, el('ul', {}, ...lines), ...(can === null ? [] : [buttons]));
}

function button(textContent: string, onclick: () => void, className = '') {
  return el('button', { type: 'button', textContent, onclick, className });
}

/** Shows the effects of the rules on the present content of the bucket. */
async function showPreview({ name, hasVersions }: Bucket, rules: readonly Rule[]) {
  const body = { name, rules };
  const path = '/api/files/lifecycle/preview';
  const found = await runPreview(`Preview lifecycle rules of ${name}`, path, body);
  if (found === null) return;
  const { effects, scanned, truncated, tags_unread: unread } = found as Preview;
  const nameOf = (effect: string) => (hasVersions && effect === 'expire' ? 'mark' : effect);
  const rows = effects.map((one) =>
    el(
      'tr',
      {},
      el('td', { textContent: shownText(one.rule_id), className: 'long' }),
      el('td', { textContent: EFFECTS[nameOf(one.effect)] ?? one.effect }),
      el('td', {}, one.now === 0 ? '0' : `${one.now.toLocaleString()} (${bytesText(one.bytes)})`),
      el('td', { textContent: one.later.toLocaleString() }),
      el('td', { textContent: shownText(one.examples.slice(0, 3).join(', ')), className: 'long' }),
    ),
  );
  const notes = [
    'Later: matches a rule, but is not old enough yet. Versions protected by Object Lock are kept.',
  ];
  if (truncated) notes.push('Only part of the bucket was checked.');
  const untagged = `Tags of ${unread.toLocaleString()} objects`;
  if (unread > 0) notes.push(`${untagged} were not checked because the limit was reached.`);
  const heads = ['Rule', 'Effect', 'Now', 'Later', 'Examples'];
  await ask('Rule preview', [
    factList({ Checked: `${scanned.toLocaleString()} objects and versions` }),
    rows.length === 0 ? quiet('No matches.') : scrolledTable('Effects', heads, rows).node,
    ...notes.map(quiet),
  ]);
}
