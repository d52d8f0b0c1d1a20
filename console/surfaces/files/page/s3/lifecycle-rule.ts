import { ask, el } from '../../../../ui/dom.js';
import { box, field, quiet } from './fields.js';
import type { LifecycleRuleView as Rule } from '../../s3/lifecycle-model.js';

const EMPTY: Rule = {
  ...{ id: '', enabled: true, prefix: '', tags: [], size_greater_than: null, size_less_than: null },
  ...{ expire: null, transitions: [], noncurrent_expire: null, noncurrent_transitions: [] },
  abort_days: null,
};

/**
 * A rule in words, a line for each thing that it does.
 *
 * @param hasVersions of the bucket
 */
export function ruleText(rule: Rule, hasVersions: boolean) {
  const lines = [`Applies to ${scopeText(rule)}`];
  const { expire, noncurrent_expire: noncurrent } = rule;
  if (expire !== null) {
    if ('delete_markers' in expire) {
      if (expire.delete_markers) lines.push('Delete expired object delete markers');
    } else if (hasVersions) lines.push(`Add a delete marker ${timeText(expire)}`);
    else lines.push(`Permanently delete ${timeText(expire)}`);
  }
  for (const { when, storage_class: name } of rule.transitions) {
    lines.push(`Move to ${name} ${timeText(when)}`);
  }
  if (noncurrent !== null) {
    const kept = noncurrent.newer === null ? '' : `, keeping the ${noncurrent.newer} newest`;
    lines.push(`Permanently delete noncurrent versions after ${daysText(noncurrent.days)}${kept}`);
  }
  for (const { days, storage_class: name } of rule.noncurrent_transitions) {
    lines.push(`Move noncurrent versions to ${name} after ${daysText(days)}`);
  }
  if (rule.abort_days !== null) {
    lines.push(`Abort incomplete multipart uploads after ${daysText(rule.abort_days)}`);
  }
  return lines;
}

function scopeText({ prefix, tags, size_greater_than: greater, size_less_than: less }: Rule) {
  const parts = [];
  if (prefix !== '') parts.push(`prefix “${prefix}”`);
  for (const { key, value } of tags) parts.push(`tag ${key}=${value}`);
  if (greater !== null) parts.push(`size over ${greater} bytes`);
  if (less !== null) parts.push(`size under ${less} bytes`);
  return parts.length === 0 ? 'all objects' : `objects with ${parts.join(', ')}`;
}

function timeText(time: { days: number } | { date: string }) {
  return 'days' in time ? `after ${daysText(time.days)}` : `from ${time.date}`;
}

function daysText(days: number) {
  return days === 1 ? '1 day' : `${days} days`;
}

/**
 * @param given null: a new one
 * @param hasVersions of the bucket
 * @returns the rule as it was entered; null when the dialog was closed
 */
export async function editLifecycleRule(
  given: Rule | null,
  hasVersions: boolean,
): Promise<Rule | null> {
  const form = formOf(given ?? EMPTY, hasVersions);
  let made: Rule | null = null;
  const title = given === null ? 'Create lifecycle rule' : 'Edit lifecycle rule';
  const entered = await ask(title, form.nodes, 'Done', async () => {
    made = form.rule();
    if (ruleText(made, hasVersions).length === 1)
      throw new Error('The rule has no actions. Enter at least one number of days or a date.');
  });
  return entered === null ? null : made;
}

function formOf(rule: Rule, hasVersions: boolean) {
  const { expire, noncurrent_expire: noncurrent } = rule;
  const isDated = expire !== null && 'date' in expire;
  const id = field('Rule name', { value: rule.id, maxLength: 255, required: true });
  const enabled = box('Enabled', { checked: rule.enabled });
  const prefix = field('Prefix (leave empty for all objects)', { value: rule.prefix });
  const tags = el('textarea', { rows: 2, spellcheck: false });
  tags.value = rule.tags.map(({ key, value }) => `${key}=${value}`).join('\n');
  const greater = number('Larger than (bytes)', rule.size_greater_than, 0);
  const less = number('Smaller than (bytes)', rule.size_less_than, 0);
  const after = hasVersions
    ? 'Add a delete marker after (days)'
    : 'Delete permanently after (days)';
  const days = number(after, expire !== null && 'days' in expire ? expire.days : null, 1);
  const date = field('Or from date (UTC)', {
    ...{ type: 'date', value: isDated ? expire.date : '' },
  });
  const markers = box('Delete expired object delete markers', {
    checked: expire !== null && 'delete_markers' in expire && expire.delete_markers,
  });
  const old = number(
    'Permanently delete noncurrent versions after (days)',
    noncurrent?.days ?? null,
    1,
  );
  const newer = number('Number of newer noncurrent versions to keep', noncurrent?.newer ?? null, 1);
  const abort = number('Abort incomplete multipart uploads after (days)', rule.abort_days, 1);
  const [move] = rule.transitions;
  const isSimple = rule.transitions.length <= 1 && (move === undefined || 'days' in move.when);
  const moveDays = number(
    'Move to another storage class after (days)',
    move !== undefined && 'days' in move.when ? move.when.days : null,
    0,
  );
  const storageClass = field('Storage class', { value: move?.storage_class ?? 'GLACIER' });
  const heading = (textContent: string) => el('h3', { textContent });
  const pair = (...nodes: Node[]) => el('div', { className: 'pair' }, ...nodes);
  const kept = [];
  if (!isSimple) kept.push("The rule's storage class transitions are kept unchanged.");
  if (rule.noncurrent_transitions.length > 0)
    kept.push("The rule's noncurrent version transitions are kept unchanged.");
  const nodes = [
    ...[id.node, enabled.node, heading('Scope'), prefix.node],
    el('label', {}, 'Tags, all must match (key=value, one per line)', tags),
    pair(greater.node, less.node),
    ...[heading('Actions'), pair(days.node, date.node)],
    ...(hasVersions ? [pair(old.node, newer.node), markers.node] : []),
    ...(isSimple ? [pair(moveDays.node, storageClass.node)] : []),
    abort.node,
    ...kept.map(quiet),
  ];
  return {
    nodes,
    rule: (): Rule => ({
      ...rule,
      id: id.input.value.trim(),
      enabled: enabled.input.checked,
      prefix: prefix.input.value,
      tags: tagsIn(tags.value),
      size_greater_than: greater.value(),
      size_less_than: less.value(),
      expire: expireOf(days.value(), date.input.value, markers.input.checked),
      transitions: isSimple
        ? moveOf(moveDays.value(), storageClass.input.value.trim())
        : rule.transitions,
      noncurrent_expire: noncurrentOf(old.value(), newer.value()),
      abort_days: abort.value(),
    }),
  };
}

function number(label: string, value: number | null, least: number) {
  const { input, node } = field(label, { type: 'number', min: String(least) });
  input.value = value === null ? '' : String(value);
  return { node, value: () => (input.value === '' ? null : Number(input.value)) };
}

function tagsIn(text: string) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const at = line.indexOf('=');
    if (at <= 0) throw new Error(`“${line}” is not a valid tag. Use key=value.`);
    return { key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
  });
}

function expireOf(days: number | null, date: string, markers: boolean): Rule['expire'] {
  const chosen = [days !== null, date !== '', markers].filter(Boolean).length;
  if (chosen > 1) {
    throw new Error(
      'Set only one of days, date or delete marker removal. Use separate rules to combine them.',
    );
  }
  if (days !== null) return { days };
  if (date !== '') return { date };
  return markers ? { delete_markers: true } : null;
}

function moveOf(days: number | null, storageClass: string) {
  return days === null ? [] : [{ when: { days }, storage_class: storageClass }];
}

function noncurrentOf(days: number | null, newer: number | null) {
  if (days === null && newer !== null) {
    throw new Error('Enter the number of days after which noncurrent versions are deleted.');
  }
  return days === null ? null : { days, newer };
}
