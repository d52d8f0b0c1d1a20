import { logInAgain, renewSession, stayWhile, userName } from '../../../ui/api.js';
import { $, ask, el } from '../../../ui/dom.js';
import { toLogin } from '../../../ui/login-page.js';
import { download } from '../../../ui/parts.js';
import { uploads } from '../../../ui/transfers.js';
import { attempt } from './state.js';

/**
 * While files are not there yet, the end of the session does not end the page, which alone knows
 * them: they wait until the same user has logged in again, here or in another tab.
 */

const LOOK_MS = 5000;
const LOGGED_OUT =
  'Your session has ended. Remaining uploads resume after you log in here or in another tab.';

let isOver = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function isUnfinished() {
  const { running, waiting, reading, failed } = uploads.counts();
  return running + waiting + reading + failed > 0;
}

/** Asked when the session is over, maybe several times. */
function stay() {
  if (!isUnfinished()) return false;
  if (!isOver) {
    isOver = true;
    uploads.pause();
    $('#countdown').hidden = true;
    tell(LOGGED_OUT);
    // Not at once: what one request was told of the session need not be so for the next.
    timer = setTimeout(look, LOOK_MS);
  }
  return true;
}

function tell(text: string) {
  $('#session-over').hidden = false;
  // Said aloud once, not at each look.
  if ($('#session-over-text').textContent !== text) $('#session-over-text').textContent = text;
}

async function look() {
  clearTimeout(timer);
  const who = await renewSession();
  if (!isOver) return;
  if (who === 'same') goOn();
  else if (isUnfinished()) {
    const other = `A different user is logged in. The remaining uploads will resume when ${userName()} logs in again.`;
    tell(who === 'other' ? other : LOGGED_OUT);
    clearTimeout(timer);
    timer = setTimeout(look, LOOK_MS);
  } else toLogin();
}

function goOn() {
  isOver = false;
  clearTimeout(timer);
  $('#countdown').hidden = false;
  const notice = $('#session-over');
  // If the focus is in the notice, it must not fall back to the top of the page.
  const hasFocus = notice.contains(document.activeElement);
  notice.hidden = true;
  if (hasFocus) $('#transfers').focus();
  uploads.resume();
}

async function logIn() {
  const key = el('input', { name: 'key', type: 'password', required: true });
  key.autocomplete = 'current-password';
  const given = await ask(
    'Log in again',
    [el('p', { textContent: `User: ${userName()}` }), el('label', {}, 'Key', key)],
    'Log in',
    ({ key: entered = '' }) => logInAgain(entered),
  );
  key.value = '';
  if (given !== null && isOver) goOn();
}

/** Saves the missing names as a file: there may be thousands. */
function saveMissing() {
  const lines = [...uploads.missing()].map((name) => name.replaceAll('\n', '\\n'));
  if (uploads.counts().reading > 0)
    lines.push('(plus files in folders that have not been read yet)');
  download('not-uploaded.txt', `${lines.join('\n')}\n`, 'text/plain');
}

export function wireStay() {
  stayWhile(stay);
  $('#log-in-again').onclick = () => attempt(logIn);
  $('#save-missing').onclick = () => attempt(saveMissing);
}
