import { call, type StreamState } from '../../../ui/api.js';
import { $, el } from '../../../ui/dom.js';
import { pageHead } from '../../../ui/parts.js';
import { connectCard } from './connect.js';
import { firstSteps } from './first-steps.js';
import { alertsCard, hourCard } from './health.js';
import { storageCard } from './storage.js';
import type { Overview } from '../../monitor/answers.js';
import type { SessionView } from '../../../server/session-routes.js';

/** Buckets had their places here, behind `#`, before there was a page of this name. */
async function leadOn() {
  if (location.hash.length <= 1) return;
  location.replace(`/buckets${location.hash}`);
  // Nothing of this page is to be seen meanwhile.
  await new Promise(() => undefined);
}

await leadOn();
window.addEventListener('hashchange', () => void leadOn());

/** Undefined for those who are not shown how the service is. */
let alerts: ReturnType<typeof alertsCard> | undefined;
let latest: Overview | undefined;

function take(overview: Overview) {
  latest = overview;
  alerts?.show(overview);
}

export const topics = { monitor: take };

export function onConnection(state: StreamState) {
  if (state === 'live' && alerts !== undefined) void ask();
}

async function ask() {
  await call('GET', '/api/monitor/overview', undefined, true).then(take, () => undefined);
}

/** Shows what the user has, and how to connect; to operators also whether the service is well. */
export async function mount(session: SessionView) {
  const main = $('#main');
  main.classList.add('lab-page');
  const grid = el('div', { className: 'home' });
  const storage = storageCard((buckets, objects) => {
    if (objects === 0) grid.prepend(firstSteps(session, buckets));
  });
  storage.classList.add('wide');
  grid.append(storage);
  main.append(pageHead(), grid);
  if (session.role === 'operator' && session.features.monitor) {
    alerts = alertsCard();
    grid.append(hourCard(), alerts.element);
    if (latest === undefined) void ask();
    else alerts.show(latest);
  }
  const view = await call('GET', '/api/home', undefined, true);
  const connect = connectCard(view, session.role);
  connect.classList.add('wide');
  grid.append(connect);
}
