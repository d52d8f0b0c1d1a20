import { call, query } from '../../../../ui/api.js';
import { ask, el, messageOf } from '../../../../ui/dom.js';
import { may } from '../state.js';
import { choice, field, quiet } from './fields.js';
import type { CorsRuleView as Rule } from '../../s3/cors-model.js';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] as const;

const EMPTY: Rule = {
  ...{ id: '', origins: [], methods: ['GET', 'HEAD'], headers: ['*'] },
  ...{ expose_headers: ['ETag'], max_age_s: 3600 },
};

/** The CORS rules of a bucket: which web pages may use it from a browser. */
export async function showCors(name: string) {
  const { rules, digest: was } = await call('GET', `/api/files/cors?${query({ name })}`);
  const list = el('div', { className: 'cors' });
  const readers: (() => Rule)[] = [];
  const mark = () => {
    [...list.children].forEach((one, index) => {
      const legend = one.querySelector('legend');
      if (legend !== null) legend.textContent = `Rule ${index + 1}`;
    });
  };
  const addRule = (rule: Rule) => {
    const { node, read } = ruleForm(rule, () => {
      readers.splice(readers.indexOf(read), 1);
      node.remove();
      mark();
      add.focus();
    });
    readers.push(read);
    list.append(node);
    mark();
  };
  const add = el('button', { type: 'button', textContent: 'Add rule' });
  add.onclick = () => {
    addRule(EMPTY);
    list.lastElementChild?.querySelector('textarea')?.focus();
  };
  rules.forEach(addRule);
  const read = () => readers.map((one) => one());
  const about = 'The first rule that allows the origin, method and all headers applies.';
  const nodes = [quiet(about), list, ...(may('admin') ? [add] : []), tester(read)];
  const save = () => call('PUT', '/api/files/cors', { name, rules: read(), was });
  const again = () => showCors(name);
  await ask('CORS rules', nodes, may('admin') ? 'Save' : undefined, save, { again });
}

function ruleForm(rule: Rule, onRemove: () => void) {
  const origins = lines('Origins (one per line, * for any)', rule.origins, true);
  const headers = lines('Request headers (one per line, * for any)', rule.headers, false);
  const exposed = lines('Exposed response headers (one per line)', rule.expose_headers, false);
  const age = field('Max age (seconds)', { type: 'number', min: '0' });
  age.input.value = rule.max_age_s === null ? '' : String(rule.max_age_s);
  const boxes = METHODS.map((method) => {
    const input = el('input', { type: 'checkbox', checked: rule.methods.includes(method) });
    return { method, input, node: el('label', { className: 'check' }, input, ` ${method}`) };
  });
  const methods = el('div', { className: 'row methods' }, ...boxes.map((one) => one.node));
  methods.setAttribute('role', 'group');
  methods.setAttribute('aria-label', 'Methods');
  const remove = el('button', { type: 'button', textContent: 'Remove rule', className: 'danger' });
  remove.onclick = onRemove;
  const node = el(
    'fieldset',
    {},
    el('legend', { textContent: 'Rule' }),
    origins.node,
    el('span', { textContent: 'Methods' }),
    methods,
    ...[headers.node, exposed.node, age.node],
    ...(may('admin') ? [remove] : []),
  );
  const read = (): Rule => ({
    id: rule.id,
    origins: origins.values(),
    methods: boxes.filter(({ input }) => input.checked).map(({ method }) => method),
    headers: headers.values(),
    expose_headers: exposed.values(),
    max_age_s: age.input.value === '' ? null : Number(age.input.value),
  });
  return { node, read };
}

function lines(label: string, values: readonly string[], required: boolean) {
  const area = el('textarea', { rows: 2, spellcheck: false, required });
  area.value = values.join('\n');
  return { node: el('label', {}, label, area), values: () => partsOf(area.value, '\n') };
}

function partsOf(text: string, separator: string) {
  const parts = text.split(separator).map((one) => one.trim());
  return parts.filter((one) => one !== '');
}

/** Tells which of the rules, as they are entered, lets a request in. */
function tester(read: () => readonly Rule[]) {
  const origin = field('Origin', { value: 'https://www.example.com' });
  const methods = METHODS.map((one) => [one, one] as const);
  const method = choice('Method', 'test_method', methods);
  const headers = field('Request headers (comma-separated)', {});
  const verdict = el('p', { className: 'quiet', role: 'status' });
  const test = el('button', { type: 'button', textContent: 'Test' });
  test.onclick = async () => {
    try {
      const { rule } = await call('POST', '/api/files/cors/preview', {
        rules: read(),
        origin: origin.input.value,
        method: method.select.value,
        headers: partsOf(headers.input.value, ','),
      });
      verdict.textContent =
        rule === null ? 'No rule allows this request.' : `Rule ${rule + 1} allows this.`;
    } catch (error) {
      verdict.textContent = messageOf(error);
    }
  };
  const pair = el('div', { className: 'pair' }, origin.node, method.node);
  const summary = el('summary', { textContent: 'Test a request' });
  return el('details', {}, summary, pair, headers.node, test, verdict);
}
