import { ApiFailure, call, raw } from '../../../ui/api.js';
import { durationText, el, messageOf, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { timeElement } from '../../../ui/times.js';
import type { StoredPlan } from '../../../../src/deploy/service/planner-protocol.js';
import type { Run as RecordedRun } from '../../../../src/deploy/service/run-record.js';
import type { SpecProblem } from '../../../../src/deploy/spec/parse.js';
import type { SpecVerdict as Verdict } from '../answers.js';
import type { Json } from './json-values.js';

/**
 * The console's routes of Deploy, and how their errors look. `unreachable`: nodes that could not be
 * looked at when the plan was made; `unsettled`: those with files of runs that did not succeed.
 */
export type Plan = Omit<StoredPlan, 'unreachable' | 'unsettled'> & {
  readonly unreachable?: readonly { readonly node: string; readonly why: string }[];
  readonly unsettled?: readonly string[];
};

/** `retry_of`: the run of which it does again what is left; `retry_nodes`: of these alone. */
export type Run = RecordedRun & {
  readonly retry_of?: string | null;
  readonly retry_nodes?: readonly string[] | null;
};

/** A specification as it is edited: anything may be wrong with it. */
export type Spec = Readonly<Json>;

/**
 * The specification that the service has.
 *
 * @returns `etag` is for `saveSpec`
 */
export async function loadSpec(): Promise<{ spec: Spec | null; etag: string }> {
  const answer = await raw('GET', '/deploy/api/spec');
  return { spec: (await answer.json()) as Spec | null, etag: answer.headers.get('etag') ?? '' };
}

/**
 * @param etag of the one that it replaces
 * @returns the new entity tag
 */
export async function saveSpec(spec: Spec, etag: string): Promise<string> {
  const headers = { 'if-match': etag };
  const answer = await raw('PUT', '/deploy/api/spec', spec, false, undefined, headers);
  await answer.json();
  return answer.headers.get('etag') ?? '';
}

export function validate(spec: Spec, signal: AbortSignal): Promise<Verdict> {
  return call('POST', '/deploy/api/validate', { spec }, true, signal);
}

export function makePlan(wish: {
  spec_etag?: string;
  seed?: number;
  allow_large?: boolean;
  repair?: boolean;
}): Promise<Plan> {
  return call('POST', '/deploy/api/plans', wish);
}

/**
 * Begins to apply a plan.
 *
 * @param cluster the name as it was typed
 * @param key another one for each wish to apply
 * @returns the id of the run
 */
export async function applyPlan(plan: Plan, cluster: string, key: string): Promise<string> {
  const headers = { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': key };
  const path = `/deploy/api/plans/${plan.id}/apply`;
  const answer = await raw('POST', path, { cluster }, false, undefined, headers);
  return ((await answer.json()) as { readonly run_id: string }).run_id;
}

/**
 * Does again what a run has left.
 *
 * @param node that it is done on; null for all that are left
 * @param key another one for each wish
 * @returns the id of the new run
 */
export async function retryRun(run: string, node: string | null, key: string): Promise<string> {
  const body = node === null ? {} : { nodes: [node] };
  const headers = { 'idempotency-key': key };
  const path = `/deploy/api/runs/${run}/retry`;
  const answer = await raw('POST', path, body, false, undefined, headers);
  return ((await answer.json()) as { readonly run_id: string }).run_id;
}

/**
 * @param key another one for each wish
 * @returns the id of the ramp
 */
export async function beginRamp(
  wish: { cluster: string; spec_etag?: string; allow_large?: boolean },
  key: string,
): Promise<string> {
  const headers = { 'idempotency-key': key };
  const answer = await raw('POST', '/deploy/api/ramps', wish, false, undefined, headers);
  return ((await answer.json()) as { readonly ramp_id: string }).ramp_id;
}

/**
 * The users who began runs in this console, by the id of the run. The service knows the console's user alone.
 */
export async function operators(): Promise<Readonly<Record<string, string>>> {
  const none = { runs: {} };
  return (await call('GET', '/deploy/api/operators').catch(() => none)).runs;
}

/** A button of a state. */
interface WayOn {
  text: string;
  work: () => unknown;
  primary?: boolean;
}

/** The meaning of codes to an operator: the icon, the title, and the advice. */
const STATES: Readonly<Record<string, readonly [icon: string, title: string, advice: string]>> = {
  deploy_unreachable: [
    'server',
    'The deploy service is not responding',
    "Check that the service is running and that the console's deploy_upstream points to it.",
  ],
  deploy_timeout: [
    'clock',
    'The deploy service timed out',
    'The service is reachable but did not respond in time. Try again, or check its log.',
  ],
  deploy_auth_failed: [
    'key-round',
    'Deploy service authentication failed',
    "Check deploy_user, and that the deploy_token_file file contains the service's password. The file is read on every request, so no restart is needed.",
  ],
  deploy_unconfigured: [
    'settings',
    'Could not read the deploy service password',
    'The file set in deploy_token_file must exist, contain one line and be readable only by its owner (mode 0600).',
  ],
  deploy_bad_response: [
    'triangle-alert',
    'The deploy service returned an invalid response',
    'Check its log. Another program may be listening on the deploy_upstream address.',
  ],
  plan_stale: [
    'history',
    'The plan is out of date',
    'Another plan was applied after this one was created, or this plan has expired. Create a new plan; its figures may differ.',
  ],
  precondition_failed: [
    'git-compare',
    'The specification was changed by another user',
    'The saved version is not the one you opened. Your changes are still here.',
  ],
  precondition_required: [
    'git-compare',
    'Unknown specification version',
    'Reload the specification.',
  ],
  locked: ['lock', 'Another run is in progress', 'Only one run can be active at a time.'],
  not_running: ['circle-stop', 'The state has changed', 'Refresh to see the current state.'],
  unprocessable: ['circle-alert', 'The request is not valid', ''],
  idempotency_key_reused: [
    'circle-alert',
    'This request was already sent with different content',
    'Start again from the plan.',
  ],
  too_large: ['file', 'The specification is too large', 'The limit is 2 MiB.'],
  not_found: ['search', 'Not found', 'The deploy service has no such item, or it was removed.'],
  rate_limited: ['clock', 'Too many requests', 'Try again later.'],
  busy: ['clock', 'The deploy service is busy', 'Try again later.'],
  no_space: [
    'hard-drive',
    "The deploy service's disk is full",
    'Nothing was changed. Free up disk space and try again.',
  ],
  unsupported_here: [
    'info',
    'Not supported by the deploy service',
    'See the message below for the requirements.',
  ],
  forbidden: ['lock', 'Your role does not allow this', 'Only operators can use Deploy.'],
};

/** A failure as a part of the page: what it is, what to do, and the ways on. */
export function failureState(error: unknown, ...ways: WayOn[]) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const isRamp = failure?.code === 'locked' && typeof failure.details.ramp_id === 'string';
  const [name, title, advice] = isRamp
    ? ['lock', 'Another ramp is in progress', 'Only one ramp can be active at a time.']
    : (STATES[failure?.code ?? ''] ?? ['circle-alert', 'Request failed', '']);
  const message = shownText(messageOf(error));
  const made = el(
    'div',
    { className: 'empty-state deploy-failure' },
    icon(name),
    el('strong', { textContent: title }),
    el('p', { textContent: advice === '' ? message : advice }),
    ...(advice === '' || message === `${title}.`
      ? []
      : [el('p', { className: 'quiet', textContent: message })]),
    ...holderOf(failure),
    el('div', { className: 'row' }, ...ways.map(wayButton)),
  );
  made.setAttribute('role', 'alert');
  made.dataset.code = failure?.code ?? '';
  return made;
}

/** The problems of a specification that a failure names; undefined where it names none. */
export function problemsOf(error: unknown): readonly SpecProblem[] | undefined {
  const errors = error instanceof ApiFailure ? error.details.errors : undefined;
  return Array.isArray(errors) ? (errors as SpecProblem[]) : undefined;
}

function holderOf(failure: ApiFailure | undefined) {
  const { holder, since_unix_s: since } = failure?.details ?? {};
  if (failure?.code !== 'locked' || typeof holder !== 'string') return [];
  const begun = typeof since === 'number' ? [' since ', timeElement(1000 * since)] : [];
  return [el('p', {}, `Locked by ${shownText(holder)}`, ...begun, '.')];
}

export function wayButton({ text, work, primary = false }: WayOn) {
  return el('button', {
    type: 'button',
    textContent: text,
    className: primary ? 'primary' : '',
    onclick: () => void work(),
  });
}

/**
 * Nothing here yet: what this is, and the next step.
 *
 * @param name of an icon
 */
export function emptyState(name: string, title: string, text: string, ...ways: WayOn[]) {
  return el(
    'div',
    { className: 'empty-state' },
    icon(name),
    el('strong', { textContent: title }),
    el('p', { textContent: text }),
    el('div', { className: 'row' }, ...ways.map(wayButton)),
  );
}

/** Work that takes long: a bar that moves, and the seconds so far, which are not said aloud. */
export function workingState(text: string) {
  const begun = Date.now();
  const seconds = el('span', { className: 'quiet' });
  seconds.setAttribute('aria-hidden', 'true');
  const bar = el('progress', { className: 'deploy-progress' });
  bar.setAttribute('aria-label', text);
  const said = el('p', { textContent: `${text}… ` }, seconds);
  const made = el('div', {}, said, bar);
  made.setAttribute('role', 'status');
  const timer = setInterval(() => {
    if (!made.isConnected) clearInterval(timer);
    seconds.textContent = durationText((Date.now() - begun) / 1000);
  }, 1000);
  return made;
}

/** Fills a place with what takes time; a failure is shown in it, with a button to try again. */
export async function show(place: HTMLElement, work: () => Promise<readonly Node[]>) {
  place.setAttribute('aria-busy', 'true');
  if (place.childElementCount === 0) {
    place.replaceChildren(el('div', { className: 'skeleton deploy-skeleton' }));
  }
  try {
    place.replaceChildren(...(await work()));
  } catch (error) {
    const again = { text: 'Try again', work: () => show(place, work), primary: true };
    place.replaceChildren(failureState(error, again));
  } finally {
    place.removeAttribute('aria-busy');
  }
}

/** @param text a long hash or entity tag */
export function shortHash(text: string) {
  return text.replace(/^"?sha256-/, '').slice(0, 8);
}
