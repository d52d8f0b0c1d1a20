import { call } from '../../../../ui/api.js';
import { copyText } from '../../../../ui/copy.js';
import { ask, el } from '../../../../ui/dom.js';
import {
  badges,
  card,
  download,
  facts,
  plainButton,
  problem,
  row,
  stack,
  tableCard,
  tableOf,
} from '../../page/ground.js';
import type { ShadowParams, ShadowView } from '../shadow-run.js';
import type { Tone } from '../../page/ground.js';

/** A run of an earlier release has no `unlisted`. */
type View = Omit<ShadowView, 'unlisted'> & { readonly unlisted?: number };
type Finding = View['findings'][number];

type Answer = Finding['a'];

const VERDICTS = ['identical', 'cosmetic', 'semantic', 'breaking'] as const;

const STATES: Record<(typeof VERDICTS)[number], Tone> = {
  identical: 'ok',
  cosmetic: 'info',
  semantic: 'warn',
  breaking: 'crit',
};

/** How far a run is, and what it has found. */
export function summaryOf({ cases, skipped, steps, findings, unlisted = 0 }: View, wanted: number) {
  const flaky = findings.filter(({ is_flaky: isFlaky }) => isFlaky === true).length;
  return facts(
    ['Cases', `${cases} of ${wanted}`],
    ...(skipped > 0
      ? [['Skipped', String(skipped), 'a target rejected the test container'] as const]
      : []),
    ['Requests compared', String(steps)],
    ['Findings', String(findings.length + unlisted)],
    ['Flaky', String(flaky), 'not reproduced every time'],
  );
}

/** @param params of the run: the sides that are compared */
export function findingTable({ findings, unlisted = 0 }: View, { mode, a, b }: ShadowParams) {
  if (findings.length === 0) {
    return card('Findings', el('p', { textContent: 'No relevant differences.' }));
  }
  return card(
    unlisted > 0 ? `Latest ${findings.length} findings` : 'Findings',
    tableOf('Findings', findings, [
      badges('Verdict', ({ difference }) => difference.verdict, STATES),
      { title: 'Rule', value: ({ difference }) => difference.rule },
      {
        title: b === null ? 'Difference' : `Difference: ${a} and ${b}`,
        value: ({ difference }) => difference.detail,
      },
      { title: 'Request', value: requestText },
      { title: 'Count', number: true, value: ({ times }) => times },
      { title: 'Flaky', value: flakyText },
      {
        title: 'Steps',
        number: true,
        value: (finding) => (finding.minimal ?? finding.case).steps.length,
        cell: ({ case: { steps }, minimal }) =>
          minimal === null ? String(steps.length) : `${steps.length} → ${minimal.steps.length}`,
      },
      {
        title: 'Details',
        value: ({ id }) => id,
        cell: (finding) => plainButton('View', () => void showFinding(finding, mode)),
      },
    ]),
  );
}

function requestText({ case: one, step }: Finding) {
  const { method = '', target = '' } = one.steps[step] ?? {};
  return `${method} ${named(target)}`.slice(0, 120);
}

/** Cases name the account and the container of a side by signs, which each side fills in. */
function named(text: string) {
  return text.replaceAll('${A}', '{account}').replaceAll('${C}', '{container}');
}

/** Steps by method and verdict. */
export function matrixTable({ matrix }: View) {
  return tableCard(
    'Verdicts by method',
    Object.entries(matrix).sort(([a], [b]) => a.localeCompare(b)),
    [
      { title: 'Method', value: ([method]) => method },
      ...VERDICTS.map((verdict) => ({
        title: verdict,
        number: true,
        value: ([, counts]: [string, View['matrix'][string]]) => counts[verdict],
      })),
    ],
  );
}

async function showFinding(finding: Finding, mode: ShadowParams['mode']) {
  const one = finding.minimal ?? finding.case;
  const said = stack();
  const replay = el('button', { type: 'button', textContent: 'Replay case' });
  replay.onclick = async () => {
    replay.disabled = true;
    try {
      const { results } = await call('POST', '/lab/api/shadow/replay', { mode, case: one });
      const lines = results.map(({ step, difference: { verdict, rule, detail } }) => {
        const said = `Step ${step + 1}: ${verdict}`;
        return el('li', { textContent: rule === '' ? said : `${said} (${rule}: ${detail})` });
      });
      said.replaceChildren(el('ul', {}, ...lines));
    } catch (error) {
      said.replaceChildren(problem(error));
    } finally {
      replay.disabled = false;
    }
  };
  const copy = el('button', { type: 'button', textContent: 'Copy raw requests' });
  copy.onclick = () => void copyText(rawText(one));
  const save = el('button', { type: 'button', textContent: 'Download case' });
  save.onclick = () => download('case.json', JSON.stringify(one, null, 1), 'application/json');
  const rules = new Set([finding.difference, ...finding.others].map(({ rule }) => rule));
  const sides = [finding.a, finding.b].flatMap((answer) =>
    answer === null ? [] : [answerView(answer, rules)],
  );
  await ask(`${finding.difference.rule}: ${finding.difference.detail}`, [
    el('pre', { className: 'lab-code', textContent: rawText(one) }),
    row(replay, copy, save),
    said,
    el('div', { className: 'lab-columns' }, ...sides),
  ]);
}

function rawText({ steps }: Finding['case']) {
  return steps
    .map(({ method, target, headers, body_b64: body }) => {
      const lines = headers.map(([name, value]) => `${name}: ${named(value)}`);
      return [`${method} ${named(target)} HTTP/1.1`, ...lines, '', globalThis.atob(body)].join(
        '\n',
      );
    })
    .join('\n\n');
}

/**
 * An answer, in which all that differs from the other one is marked.
 *
 * @param rules by which the two differ
 */
function answerView(
  { label, status, transport, ms, headers, body }: Answer,
  rules: ReadonlySet<string>,
) {
  const part = (textContent: string, differs: boolean) =>
    differs ? el('mark', { textContent }) : textContent;
  const lines = headers.flatMap(([name, value]) => [
    part(`${name}: ${value}`, rules.has(`header ${name}`)),
    '\n',
  ]);
  const isBody = rules.has('body') || rules.has('error code');
  return el(
    'section',
    {},
    el('h3', { textContent: `${label}: ${status ?? transport}, ${ms} ms` }),
    el('pre', { className: 'lab-code' }, ...lines, '\n', part(body, isBody)),
  );
}

function flakyText({ is_flaky: isFlaky }: Finding) {
  if (isFlaky === null) return 'not replayed';
  return isFlaky ? 'yes' : 'no';
}
