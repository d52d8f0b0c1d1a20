import { EventFeed } from './event-feed.js';
import { toLogin } from './login-page.js';
import type { JobStarted } from '../server/answers.js';
import type { JobView as Job } from '../server/jobs.js';
import type { SessionView as Session } from '../server/session-routes.js';
import type { AnswerTo, News } from '../surfaces/answers.js';

/** The console's API, as the pages use it. */

export type StreamState = 'live' | 'polled' | 'stale';

/** Functions that are called with what the stream of events says, by topic. */
export type Topics = { [Topic in keyof News]?: (news: News[Topic]) => void };

let session: Session | null = null;

/** The session, for calls that no page makes before it is open. */
function openedSession() {
  if (session === null) throw new Error('the session is not open yet');
  return session;
}

/** The page that is open, as the console lists it. */
export function thisPage() {
  const page = openedSession().pages.find(({ id }) => id === document.body.dataset.page);
  if (page === undefined) throw new Error('the session does not list this page');
  return page;
}

/** An error as the console's answers have it. */
interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure as the console names it. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  /** @param status of the answer; 0 where none came */
  constructor(status: number, { code, message, details = {} }: ApiError) {
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

export function stayWhile(given: () => boolean) {
  stays = given;
}

/**
 * To the login, but from a page that stays.
 *
 * @returns whether it does
 */
export function sessionOver() {
  const isStaying = stays();
  if (!isStaying) toLogin();
  return isStaying;
}

/**
 * @returns the user of the present session, maybe from another tab: the `same` as here, an `other`
 *   one, or `none`
 */
export async function renewSession(): Promise<'same' | 'other' | 'none'> {
  const now = await fetch('/api/session', {
    headers: { 'x-background': '1' },
    signal: AbortSignal.timeout(BACKGROUND_MS),
  })
    .then((answer) => (answer.ok ? (answer.json() as Promise<Session>) : null))
    .catch(() => null);
  if (now === null) return 'none';
  const { account, user } = openedSession();
  if (now.account !== account || now.user !== user) return 'other';
  session = now;
  return 'same';
}

/** Logs in again as the same user. */
export async function logInAgain(key: string) {
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

/** Parameters of a request; those that are null or empty are left out. */
export function query<T extends { readonly [K in keyof T]?: FormDataEntryValue | number | null }>(
  parameters: T,
) {
  const all: [string, unknown][] = Object.entries(parameters);
  const given = all.filter(([, value]) => value !== null && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/**
 * A request whose answer is JSON.
 *
 * @param body sent as JSON
 * @param background made by the page itself: it does not keep the session open
 * @param signal ends the request
 * @returns as the console's own types have it
 * @throws {ApiFailure}
 */
export async function call<Method extends string, Path extends string>(
  method: Method,
  path: Path,
  body?: unknown,
  background = false,
  signal?: AbortSignal,
): Promise<AnswerTo<Method, Path>> {
  const answer = await raw(method, path, body, background, signal);
  return (answer.status === 204 ? null : await answer.json()) as AnswerTo<Method, Path>;
}

/**
 * A request whose answer is anything.
 *
 * @param signal ends the request
 * @param others headers besides, such as `if-match`
 */
export async function raw(
  method: string,
  path: string,
  body?: unknown,
  background = false,
  signal?: AbortSignal,
  others?: Readonly<Record<string, string>>,
) {
  const headers: Record<string, string> = {
    'x-csrf-token': csrf(),
    ...(background && { 'x-background': '1' }),
    ...others,
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await ask(path, { method, headers, body: text }, background, signal);
  if (answer.status === 401) sessionOver();
  if (answer.ok) return answer;
  throw new ApiFailure(answer.status, await errorIn(answer));
}

/** The error that an answer names. */
export async function errorIn(answer: Response): Promise<ApiError> {
  const invalid = { code: 'unknown', message: 'The console returned an invalid response.' };
  const said = (await answer.json().catch(() => null)) as { readonly error?: ApiError } | null;
  return said?.error ?? invalid;
}

/** Requests that a page repeats by itself end by then: a dead connection must not hold them up. */
const BACKGROUND_MS = 40_000;

async function ask(
  path: string,
  request: RequestInit,
  background: boolean,
  signal: AbortSignal | undefined,
) {
  const limit = background ? AbortSignal.timeout(BACKGROUND_MS) : null;
  try {
    return await fetch(path, { ...request, signal: signal ?? limit });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure(0, { code: 'unreachable', message: 'The console is not responding.' });
  }
}

const waiting = new Map<string, { resolve: (job: Job) => void; onProgress: (job: Job) => void }>();

/** Starts a job and waits for its end, told by the stream of events or, without one, by asking. */
export async function runJob(
  path: string,
  body: unknown,
  onProgress: (job: Job) => void = () => undefined,
) {
  const started = await call('POST', path, body);
  const { job_id: id } = started as JobStarted;
  return followJob(id, onProgress);
}

/** Waits for the end of a job that has been started. */
export async function followJob(
  id: string,
  onProgress: (job: Job) => void = () => undefined,
): Promise<Job> {
  const ended = new Promise((resolve: (job: Job) => void) => {
    waiting.set(id, { resolve, onProgress });
  });
  see(await call('GET', `/api/jobs/${id}`, undefined, true));
  const job = await ended;
  if (job.state === 'failed') {
    throw new ApiFailure(500, job.error ?? { code: 'unknown', message: 'The operation failed.' });
  }
  return job;
}

function isOver({ state }: Job) {
  return state !== 'queued' && state !== 'running';
}

function askFor(id: string) {
  call('GET', `/api/jobs/${id}`, undefined, true).then(see, () => undefined);
}

/** Events are without results: who waits for one asks. */
function hear(job: Job) {
  if (isOver(job) && waiting.has(job.id)) askFor(job.id);
  else see(job);
}

function see(job: Job) {
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
 */
function leave(onState: (state: StreamState) => void, reopen: () => void) {
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

/** How often a page asks that finds no place among the streams of its session. */
export const POLL_MS = 5_000;

/** The event of `window` after which what the page shows has to be asked for anew. */
export const MISSED = 'console:events-missed';

/** Tells the console which of its streams are of one page; it is no secret. */
const PAGE = Math.random().toString(36).slice(2) || '0';

/**
 * The stream of events of this page.
 *
 * @param onState told `live` or `stale`; behind `live`, `polled` where there is no stream but all
 *   is asked for anew each {@link POLL_MS}
 * @param topics besides jobs
 */
export function openEvents(onState: (state: StreamState) => void, topics: Topics = {}) {
  const handlers = { jobs: hear, ...topics };
  const reopen = () => openEvents(onState, topics);
  const askForAll = () => {
    for (const id of waiting.keys()) askFor(id);
  };
  const events = new EventFeed({
    url: `/api/events?${query({ topics: Object.keys(handlers).join(','), page: PAGE })}`,
    events: {
      ...handlers,
      // Events were missed that the console does not have any more.
      reset: () => {
        askForAll();
        window.dispatchEvent(new Event(MISSED));
      },
      full: () => {
        events.close();
        onState('polled');
        setTimeout(reopen, POLL_MS);
      },
      session_end: () => {
        events.close();
        leave(onState, () => {
          onState('stale');
          reopen();
        });
      },
    },
    onOpen: () => {
      onState('live');
      askForAll();
    },
    onLost: () => onState('stale'),
    ask: async () => {
      // Leads to the login where the session is over.
      await call('GET', '/api/session', undefined, true);
      return true;
    },
  });
}
