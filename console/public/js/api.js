import { toLogin } from './login-page.js';

/** The console's API, as the pages use it. */

/**
 * @typedef {import('../../server/session-routes.js').SessionView} Session
 * @typedef {import('../../server/jobs.js').JobView} Job
 * @typedef {import('../../server/answers.js').Overview} Overview
 * @typedef {'live' | 'polled' | 'stale'} StreamState
 * @typedef {{
 *   jobs?: (job: Job) => void,
 *   monitor?: (overview: Overview) => void,
 *   benchmarks?: (news: import('../../surfaces/benchmarks/runs.js').BenchmarkNews) => void,
 *   zip?: (cut: import('../../surfaces/files/zip-routes.js').ZipCut) => void,
 *   runs?: (run: import('../../server/runs/run.js').RunView) => void,
 * }} Topics for topics of the stream of events, who is told what they say
 */

/**
 * @template {string} Method
 * @template {string} Path
 * @typedef {import('../../server/answers.js').AnswerTo<Method, Path>} AnswerTo
 */

/** @type {Session | null} */
let session = null;

/** What pages do that no page does before its session is open. */
function openedSession() {
  if (session === null) throw new Error('the session is not open yet');
  return session;
}

/** A failure as the console names it. */
export class ApiFailure extends Error {
  /**
   * @param {number} status of the answer; 0 where none came
   * @param {{ readonly code: string, readonly message: string, readonly details?: any }} error
   */
  constructor(status, { code, message, details = {} }) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Reads who is logged in; leads to the login if there is no session. */
export async function openSession() {
  session = await call('GET', '/api/session');
  return session;
}

/** Whether the page stays when the session is over, since it would lose something. */
let stays = () => false;

/** @param {() => boolean} given */
export function stayWhile(given) {
  stays = given;
}

/** To the login, but from a page that stays. @returns whether it does */
export function sessionOver() {
  const isStaying = stays();
  if (!isStaying) toLogin();
  return isStaying;
}

/**
 * @returns {Promise<'same' | 'other' | 'none'>} the user of the present session, maybe from another
 *   tab: the `same` as here, an `other` one, or `none`
 */
export async function renewSession() {
  /** @type {Session | null} */
  const now = await fetch('/api/session', {
    headers: { 'x-background': '1' },
    signal: AbortSignal.timeout(BACKGROUND_MS),
  })
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null);
  if (now === null) return 'none';
  const { account, user } = openedSession();
  if (now.account !== account || now.user !== user) return 'other';
  session = now;
  return 'same';
}

/**
 * Logs in again as the same user.
 *
 * @param {string} key
 */
export async function logInAgain(key) {
  const { account, user } = openedSession();
  session = await call('POST', '/api/session', { account, user, key });
}

/** The name of who is, or was, logged in here. */
export function userName() {
  const { account, user } = openedSession();
  return account === '' ? user : `${account}:${user}`;
}

export function csrf() {
  return session?.csrf ?? '';
}

/** The largest body that the console takes. */
export function uploadBytesMax() {
  return session?.max_upload_bytes ?? Infinity;
}

/** Seconds for which a URL is valid unless the user chooses otherwise. */
export function tempurlDefaultS() {
  return session?.tempurl_default_s ?? 3600;
}

/**
 * Parameters of a request; those that are null or empty are left out.
 *
 * @param {Record<string, FormDataEntryValue | number | null>} parameters
 */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/**
 * A request whose answer is JSON.
 *
 * @template {string} Method
 * @template {string} Path
 * @param {Method} method
 * @param {Path} path
 * @param {unknown} [body] sent as JSON
 * @param {boolean} [background] made by the page itself: it does not keep the session open
 * @param {AbortSignal} [signal] ends the request
 * @returns {Promise<AnswerTo<Method, Path>>} as the console's own types have it
 * @throws {ApiFailure}
 */
export async function call(method, path, body, background = false, signal = undefined) {
  const answer = await raw(method, path, body, background, signal);
  return answer.status === 204 ? null : answer.json();
}

/**
 * A request whose answer is anything.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {boolean} [background]
 * @param {AbortSignal} [signal] ends the request
 * @param {Readonly<Record<string, string>>} [others] headers besides, such as `if-match`
 */
export async function raw(method, path, body, background = false, signal = undefined, others) {
  /** @type {Record<string, string>} */
  const headers = { 'x-csrf-token': csrf(), ...(background && { 'x-background': '1' }), ...others };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await ask(path, { method, headers, body: text }, background, signal);
  if (answer.status === 401) sessionOver();
  if (answer.ok) return answer;
  const failure = await answer.json().catch(() => null);
  const unknown = { code: 'unknown', message: 'The console returned an invalid response.' };
  throw new ApiFailure(answer.status, failure?.error ?? unknown);
}

/** What a page asks for by itself is asked again: a connection that is dead must not hold it up. */
const BACKGROUND_MS = 40_000;

/**
 * @param {string} path
 * @param {RequestInit} request
 * @param {boolean} background
 * @param {AbortSignal | undefined} signal
 */
async function ask(path, request, background, signal) {
  const limit = background ? AbortSignal.timeout(BACKGROUND_MS) : null;
  try {
    return await fetch(path, { ...request, signal: signal ?? limit });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure(0, { code: 'unreachable', message: 'The console is not responding.' });
  }
}

/** @type {Map<string, { resolve: (job: Job) => void, onProgress: (job: Job) => void }>} */
const waiting = new Map();

/**
 * Starts a job and waits for its end, told by the stream of events or, without one, by asking.
 *
 * @param {string} path
 * @param {unknown} body
 * @param {(job: Job) => void} [onProgress]
 */
export async function runJob(path, body, onProgress = () => undefined) {
  const started = await call('POST', path, body);
  const { job_id: id } = /** @type {import('../../server/answers.js').JobStarted} */ (started);
  return followJob(id, onProgress);
}

/**
 * Waits for the end of a job that has been started.
 *
 * @param {string} id
 * @param {(job: Job) => void} [onProgress]
 * @returns {Promise<Job>}
 */
export async function followJob(id, onProgress = () => undefined) {
  const ended = new Promise((/** @type {(job: Job) => void} */ resolve) => {
    waiting.set(id, { resolve, onProgress });
  });
  see(await call('GET', `/api/jobs/${id}`, undefined, true));
  const job = await ended;
  if (job.state === 'failed') {
    throw new ApiFailure(500, job.error ?? { code: 'unknown', message: 'The operation failed.' });
  }
  return job;
}

/** @param {Job} job */
function isOver({ state }) {
  return state !== 'queued' && state !== 'running';
}

/** @param {string} id */
function askFor(id) {
  call('GET', `/api/jobs/${id}`, undefined, true).then(see, () => undefined);
}

/**
 * Events are without results: who waits for one asks.
 *
 * @param {Job} job
 */
function hear(job) {
  if (isOver(job) && waiting.has(job.id)) askFor(job.id);
  else see(job);
}

/** @param {Job} job */
function see(job) {
  const one = waiting.get(job.id);
  if (one === undefined) return;
  one.onProgress(job);
  if (!isOver(job)) return;
  waiting.delete(job.id);
  one.resolve(job);
}

const RETRY_MS = 5_000;

/**
 * Leads to the login, once there is one: a console that is being restarted ends its sessions too.
 *
 * @param {(state: StreamState) => void} onState
 * @param {() => void} reopen
 */
function leave(onState, reopen) {
  const again = () => {
    onState('stale');
    setTimeout(() => leave(onState, reopen), RETRY_MS);
  };
  const onLogin = () => {
    if (!sessionOver()) return;
    // A page that stays asks until the user has logged in again.
    onState('stale');
    setTimeout(reopen, RETRY_MS);
  };
  fetch('/login.html', { cache: 'no-store' }).then(onLogin, again);
}

/** Three times what the console lets pass between two signs of life. */
const SILENCE_MS = 45_000;

/** How often a page asks that finds no place among the streams of its session. */
export const POLL_MS = 5_000;

/** The event of `window` after which what the page shows has to be asked for anew. */
export const MISSED = 'console:events-missed';

/** Tells the console which of its streams are of one page; it is no secret. */
const PAGE = Math.random().toString(36).slice(2) || '0';

/**
 * The stream of events of this page.
 *
 * @param {(state: StreamState) => void} onState told `live` or `stale`; behind `live`, `polled` where
 *   there is no stream but all is asked for anew each {@link POLL_MS}
 * @param {Topics} [topics] besides jobs
 */
export function openEvents(onState, topics = {}) {
  const handlers = { jobs: hear, ...topics };
  const events = new EventSource(
    `/api/events?${query({ topics: Object.keys(handlers).join(','), page: PAGE })}`,
  );
  const reopen = () => {
    clearTimeout(silence);
    events.close();
    onState('stale');
    openEvents(onState, topics);
  };
  let silence = setTimeout(reopen, SILENCE_MS);
  // A connection that is lost on the way says nothing of it.
  const alive = () => {
    clearTimeout(silence);
    silence = setTimeout(reopen, SILENCE_MS);
  };
  for (const [topic, handle] of Object.entries(handlers)) {
    events.addEventListener(topic, (event) => {
      alive();
      handle(JSON.parse(event.data));
    });
  }
  events.addEventListener('ping', alive);
  // Events were missed that the console does not have any more.
  events.addEventListener('reset', () => {
    alive();
    for (const id of waiting.keys()) askFor(id);
    window.dispatchEvent(new Event(MISSED));
  });
  events.addEventListener('full', () => {
    clearTimeout(silence);
    events.close();
    onState('polled');
    setTimeout(() => openEvents(onState, topics), POLL_MS);
  });
  events.addEventListener('session_end', () => {
    clearTimeout(silence);
    events.close();
    leave(onState, reopen);
  });
  events.addEventListener('open', () => {
    alive();
    onState('live');
    for (const id of waiting.keys()) askFor(id);
  });
  events.addEventListener('error', () => {
    onState('stale');
    // The browser goes on by itself where it was cut, but gives up where it was refused.
    if (events.readyState !== EventSource.CLOSED) return;
    clearTimeout(silence);
    setTimeout(() => {
      // Leads to the login where the session is over.
      call('GET', '/api/session', undefined, true).then(reopen, reopen);
    }, RETRY_MS);
  });
}
