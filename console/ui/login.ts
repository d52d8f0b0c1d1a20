import { takeBack, takeEnded } from './login-page.js';

const form = document.querySelector('#login') as HTMLFormElement;
const message = document.querySelector('#message') as HTMLElement;

/** The fields of another way to log in are neither shown nor sent. */
function showMethod() {
  const method = new FormData(form).get('method');
  for (const fields of form.querySelectorAll('fieldset[data-method]')) {
    const isChosen = (fields as HTMLElement).dataset.method === method;
    fields.toggleAttribute('hidden', !isChosen);
    fields.toggleAttribute('disabled', !isChosen);
  }
}

form.addEventListener('change', showMethod);
// A browser may keep the choice when a page is loaded again.
showMethod();

/** The fragment of the terminal's link: see `first-login.ts`. */
const LINK = /^#([\w-]{43})$/;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await logIn(Object.fromEntries(new FormData(form)));
});

if (takeEnded()) message.textContent = 'Your session has ended. Log in again.';
const link = LINK.exec(location.hash)?.[1];
// Out of the address and the history, whatever comes of it.
if (location.hash !== '') history.replaceState(null, '', location.pathname);
if (link !== undefined) await logIn({ link });

async function logIn(credentials: Readonly<Record<string, unknown>>) {
  message.textContent = '';
  const button = form.querySelector('button') as HTMLButtonElement;
  button.disabled = true;
  try {
    const answer = await fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    if (answer.ok) {
      location.replace(takeBack());
      return;
    }
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    const wait = answer.headers.get('retry-after');
    message.textContent =
      wait === null ? error.message : `${error.message} Try again in ${wait} s.`;
  } catch {
    message.textContent = 'The console is not responding.';
  } finally {
    button.disabled = false;
  }
}
