import { copyField, copyText } from '../../../ui/copy.js';
import { el } from '../../../ui/dom.js';
import { card, setViewState, tabList, viewState } from '../../../ui/parts.js';
import { CLIENTS } from './snippets.js';
import type { HomeView } from '../surface.js';

/** The client that was chosen last in this browser. */
const CHOSEN = 'home-client';
const PLACEHOLDER = 'YOUR_ACCESS_KEY';

/** How to connect: the endpoint, and what clients are told. */
export function connectCard({ endpoint, region, access_key: accessKey }: HomeView, role: string) {
  if (endpoint === null) return card('Connect', noEndpoint(role));
  const wanted = viewState().client ?? localStorage.getItem(CHOSEN);
  let client = CLIENTS.find(({ id }) => id === wanted) ?? CLIENTS[0];
  const place = el('span', { className: 'quiet' });
  const code = el('code');
  const copy = el('button', { type: 'button', textContent: 'Copy' });
  copy.onclick = () => copyText(code.textContent ?? '');
  const text = el('pre', { className: 'snippet', tabIndex: 0 }, code);
  const panel = el(
    'div',
    { className: 'snippet-panel', role: 'tabpanel' },
    el('div', { className: 'row' }, place, copy),
    text,
  );
  const show = () => {
    if (client === undefined) return;
    place.textContent = client.place;
    text.ariaLabel = `Setup of ${client.title}`;
    copy.ariaLabel = `Copy: setup of ${client.title}`;
    code.textContent = client.text({ endpoint, region, accessKey: accessKey ?? PLACEHOLDER });
    panel.setAttribute('aria-labelledby', `tab-${client.id}`);
  };
  const tabs = tabList('Clients', CLIENTS, client?.id ?? '', (id) => {
    client = CLIENTS.find((one) => one.id === id);
    localStorage.setItem(CHOSEN, id);
    setViewState({ ...viewState(), client: id });
    show();
  });
  show();
  const fields = [copyField('Endpoint', endpoint), copyField('Region', region)];
  if (accessKey !== null) fields.push(copyField('Access key', accessKey));
  return card('Connect', el('div', { className: 'connection' }, ...fields), tabs, panel);
}

function noEndpoint(role: string) {
  const text =
    role === 'operator'
      ? 'The address that S3 clients connect to is not known. Set s3_public_base in the configuration of the console.'
      : 'The address that S3 clients connect to is not known here. Ask your operator for it.';
  return el('p', { className: 'quiet', textContent: text });
}
