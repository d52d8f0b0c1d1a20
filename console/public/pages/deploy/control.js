import { ApiFailure, call, raw } from '../../js/api.js';
import { el, messageOf, shownText } from '../../js/dom.js';
import { icon } from '../../js/icons.js';
import { timeElement } from '../../js/times.js';

/**
 * The console's routes of Deploy, and how their errors look.
 *
 * @typedef {import('../../../../src/deploy/service/planner-protocol.js').StoredPlan & {
 *   readonly unreachable?: readonly { readonly node: string, readonly why: string }[],
 *   readonly unsettled?: readonly string[],
 * }} Plan `unreachable`: nodes that could not be looked at when the plan was made; `unsettled`: those
 *   with files of runs that did not succeed
 * @typedef {import('../../../../src/deploy/service/ramp-record.js').Ramp} Ramp
 * @typedef {import('../../../../src/deploy/service/run-record.js').Run & {
 *   readonly retry_of?: string | null,
 *   readonly retry_nodes?: readonly string[] | null,
 * }} Run `retry_of`: the run of which it does again what is left; `retry_nodes`: of these alone
 * @typedef {import('../../../../src/deploy/service/run-record.js').Step} Step
 * @typedef {import('../../../../src/deploy/spec/parse.js').SpecProblem} Problem
 * @typedef {import('../../../surfaces/deploy/answers.js').DeployStatus} Status
 * @typedef {import('../../../surfaces/deploy/answers.js').DeployHistory} History
 * @typedef {import('../../../surfaces/deploy/answers.js').SpecVerdict} Verdict
 * @typedef {Readonly<Record<string, any>>} Spec as it is edited: anything may be wrong with it
 */

/**
 * The specification that the service has.
 *
 * @returns {Promise<{ spec: Spec | null, etag: string }>} `etag` is for `saveSpec`
 */
export async function loadSpec() {
  const answer = await raw('GET', '/deploy/api/spec');
  return { spec: await answer.json(), etag: answer.headers.get('etag') ?? '' };
}

/**
 * @param {Spec} spec
 * @param {string} etag of the one that it replaces
 * @returns {Promise<string>} the new entity tag
 */
export async function saveSpec(spec, etag) {
  const headers = { 'if-match': etag };
  const answer = await raw('PUT', '/deploy/api/spec', spec, false, undefined, headers);
  await answer.json();
  return answer.headers.get('etag') ?? '';
}

/**
 * @param {Spec} spec
 * @param {AbortSignal} signal
 * @returns {Promise<Verdict>}
 */
export function validate(spec, signal) {
  return call('POST', '/deploy/api/validate', { spec }, true, signal);
}

/**
 * @param {{ spec_etag?: string, seed?: number, allow_large?: boolean, repair?: boolean }} wish
 * @returns {Promise<Plan>}
 */
export function makePlan(wish) {
  return call('POST', '/deploy/api/plans', wish);
}

/**
 * Begins to apply a plan.
 *
 * @param {Plan} plan
 * @param {string} cluster the name as it was typed
 * @param {string} key another one for each wish to apply
 * @returns {Promise<string>} the id of the run
 */
export async function applyPlan(plan, cluster, key) {
  const headers = { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': key };
  const path = `/deploy/api/plans/${plan.id}/apply`;
  const answer = await raw('POST', path, { cluster }, false, undefined, headers);
  return (await answer.json()).run_id;
}

/**
 * Does again what a run has left.
 *
 * @param {string} run
 * @param {string | null} node that it is done on; null for all that are left
 * @param {string} key another one for each wish
 * @returns {Promise<string>} the id of the new run
 */
export async function retryRun(run, node, key) {
  const body = node === null ? {} : { nodes: [node] };
  const headers = { 'idempotency-key': key };
  const path = `/deploy/api/runs/${run}/retry`;
  const answer = await raw('POST', path, body, false, undefined, headers);
  return (await answer.json()).run_id;
}

/**
 * @param {{ cluster: string, spec_etag?: string, allow_large?: boolean }} wish
 * @param {string} key another one for each wish
 * @returns {Promise<string>} the id of the ramp
 */
export async function beginRamp(wish, key) {
  const headers = { 'idempotency-key': key };
  const answer = await raw('POST', '/deploy/api/ramps', wish, false, undefined, headers);
  return (await answer.json()).ramp_id;
}

/**
 * The users who began runs in this console, by the id of the run. The service knows the console's user alone.
 *
 * @returns {Promise<Readonly<Record<string, string>>>}
 */
export async function operators() {
  const none = { runs: {} };
  return (await call('GET', '/deploy/api/operators').catch(() => none)).runs;
}

/** @typedef {{ text: string, work: () => unknown, primary?: boolean }} WayOn a button of a state */

/** What codes mean to an operator: the icon, the title, and what to look at. */
/** @type {Readonly<Record<string, readonly [icon: string, title: string, advice: string]>>} */
const STATES = {
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

/**
 * A failure as a part of the page: what it is, what to do, and the ways on.
 *
 * @param {unknown} error
 * @param {...WayOn} ways
 */
export function failureState(error, ...ways) {
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

/** @param {ApiFailure | undefined} failure */
function holderOf(failure) {
  const { holder, since_unix_s: since } = failure?.details ?? {};
  if (failure?.code !== 'locked' || typeof holder !== 'string') return [];
  const begun = typeof since === 'number' ? [' since ', timeElement(1000 * since)] : [];
  return [el('p', {}, `Locked by ${shownText(holder)}`, ...begun, '.')];
}

/** @param {WayOn} way */
export function wayButton({ text, work, primary = false }) {
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
 * @param {string} name of an icon
 * @param {string} title
 * @param {string} text
 * @param {...WayOn} ways
 */
export function emptyState(name, title, text, ...ways) {
  return el(
    'div',
    { className: 'empty-state' },
    icon(name),
    el('strong', { textContent: title }),
    el('p', { textContent: text }),
    el('div', { className: 'row' }, ...ways.map(wayButton)),
  );
}

/**
 * Fills a place with what takes time; a failure is shown in it, with a button to try again.
 *
 * @param {HTMLElement} place
 * @param {() => Promise<readonly Node[]>} work
 */
export async function show(place, work) {
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

/** @param {string} text a long hash or entity tag */
export function shortHash(text) {
  return text.replace(/^"?sha256-/, '').slice(0, 8);
}
