import { openLayer } from './layers.js';

/** Elements of the pages that are more than an `HTMLElement`, by selector. */
interface Elements {
  '#add': HTMLButtonElement;
  '#all': HTMLInputElement;
  '#container-filter': HTMLInputElement;
  '#custom': HTMLFormElement;
  '#dialog': HTMLDialogElement;
  '#dialog-ok': HTMLButtonElement;
  '#filter': HTMLFormElement;
  '#first': HTMLButtonElement;
  '#from': HTMLInputElement;
  '#jump-text': HTMLInputElement;
  '#last': HTMLButtonElement;
  '#login': HTMLFormElement;
  '#next': HTMLButtonElement;
  '#open-name': HTMLInputElement;
  '#previous': HTMLButtonElement;
  '#q': HTMLInputElement;
  '#search': HTMLFormElement;
  '#search-more': HTMLDetailsElement;
  '#show-hidden': HTMLInputElement;
  '#to': HTMLInputElement;
}

/** Makes an element; text is always text, never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties?: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties ?? {});
  element.append(...children);
  return element;
}

export function setAttributes(
  element: Element,
  attributes: Readonly<Record<string, string | number>>,
) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/** Makes an element of SVG. */
export function svg(tag: string, attributes: Readonly<Record<string, string | number>> = {}) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  return element;
}

/** The element of the page; a page has all that its own code asks for. */
export function $<Selector extends string>(
  selector: Selector,
): Selector extends keyof Elements ? Elements[Selector] : HTMLElement {
  const found = document.querySelector(selector);
  return found as Selector extends keyof Elements ? Elements[Selector] : HTMLElement;
}

/** A box that scrolls what is in it, such as a table; without a mouse, by keys. */
export function scrollRegion(label: string, ...content: Node[]) {
  const region = el('div', { className: 'table-scroll', tabIndex: 0 }, ...content);
  region.setAttribute('role', 'region');
  region.setAttribute('aria-label', label);
  return region;
}

/** A number of things, in words; `word` is of one of them. */
export function countText(count: number, word: string) {
  return `${count.toLocaleString()} ${word}${count === 1 ? '' : 's'}`;
}

/** The message of an error, in words for the user. */
export function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Characters that change how the text around them looks, or that are invisible: controls, marks of
 * direction (which make `gpj.exe` of a picture's name), blanks without width, tags.
 */
const HIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180f|[\u{e0000}-\u{e0fff}]/gu;
/** Joiners belong to emoji and to some scripts; beside ASCII they only hide. */
const LOOSE_JOINER = /(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=$|[\0-\x7f])/gu;
const EDGE_BLANKS = /^\s+|\s+$/g;

const codeOf = (sign: string) =>
  `‹U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/** A name as people can trust it: what would not be seen, or would mislead, shows as its code. */
export function shownText(text: unknown) {
  return String(text)
    .replace(HIDDEN, codeOf)
    .replace(LOOSE_JOINER, codeOf)
    .replace(EDGE_BLANKS, (blanks) => '␣'.repeat(blanks.length));
}

export function bytesText(bytes: number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** A size with its exact number of bytes, where the unit has rounded it. */
export function exactBytesText(bytes: number) {
  if (bytes < 1024) return bytesText(bytes);
  return `${bytesText(bytes)} (${bytes.toLocaleString()} bytes)`;
}

const DAY_S = 86_400;

/** How long, in the two units that matter. */
export function durationText(seconds: number) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole >= 2 * DAY_S)
    return `${Math.floor(whole / DAY_S)} d ${Math.floor((whole % DAY_S) / 3600)} h`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/**
 * A random id, as a UUID of version 4. Browsers have `crypto.randomUUID` on pages of https and of their own
 * machine alone, and the console may be on another one of a trusted network.
 */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The texts that were entered in a dialog, by the names of their fields. */
type Entered = Record<string, string>;

/**
 * Shows a dialog.
 *
 * @param nodes what it holds
 * @param okText none for a dialog that only tells something
 * @param work does what the dialog is for, given what was entered and the form's data; while it
 *   fails the dialog stays open and says why
 * @param options what it looks like, and the way out of a conflict
 * @param options.danger what it does cannot be undone, and looks it
 * @param options.again shows the dialog anew, with the present values; offered when the console
 *   refused a change because of them
 * @returns what was entered by name, or null when it was closed
 */
export function ask(
  title: string,
  nodes: readonly Node[],
  okText?: string,
  work: (entered: Entered, data: FormData) => Promise<unknown> = async () => undefined,
  options: { danger?: boolean; again?: () => unknown } = {},
): Promise<Entered | null> {
  const { danger = false, again } = options;
  const dialog = $('#dialog');
  const form = dialog.querySelector('form') as HTMLFormElement;
  const ok = $('#dialog-ok');
  const problem = el('p', { className: 'error', role: 'alert' });
  $('#dialog-title').textContent = shownText(title);
  $('#dialog-body').replaceChildren(...nodes, problem);
  $('#dialog-cancel').textContent = okText === undefined ? 'Close' : 'Cancel';
  ok.hidden = okText === undefined;
  ok.classList.toggle('danger', danger);
  ok.textContent = okText ?? '';
  ok.disabled = false;
  return new Promise((resolve) => {
    let given: Entered | null = null;
    let next: (() => unknown) | null = null;
    const reload = () => {
      next = again ?? null;
      void closeDialog();
    };
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (event.submitter !== ok) return closeDialog();
      const data = new FormData(form);
      const texts = [...data].filter((one): one is [string, string] => typeof one[1] === 'string');
      const entered = Object.fromEntries(texts);
      problem.textContent = '';
      ok.disabled = true;
      try {
        await work(entered, data);
        given = entered;
        await closeDialog();
      } catch (error) {
        problem.textContent = shownText(messageOf(error));
        if (again !== undefined && isOutdated(error)) problem.append(' ', againButton(reload));
      } finally {
        ok.disabled = false;
      }
    };
    const onClose = async () => {
      // That of the dialog before comes when this one is open already.
      if (dialog.open) return;
      dialog.removeEventListener('close', onClose);
      await leaveDialog();
      await next?.();
      resolve(given);
    };
    dialog.addEventListener('close', onClose);
    dialog.oncancel = (event) => {
      event.preventDefault();
      void closeDialog();
    };
    if (!dialog.open) {
      dialog.showModal();
      leaveDialog = openLayer(() => dialog.close());
    }
    // Enter in a field means yes, and the first button of a form is what Enter presses.
    form.onkeydown = (event) => {
      const { tagName } = event.target as Element;
      if (event.key !== 'Enter' || !['INPUT', 'SELECT'].includes(tagName)) return;
      event.preventDefault();
      if (!ok.hidden) form.requestSubmit(ok);
    };
  });
}

/** Whether the console refused a change because the page showed former values. */
export function isOutdated(error: unknown) {
  const { code, details } = error as { code?: string; details?: { present?: unknown } };
  return code === 'conflict' && details?.present !== undefined;
}

export function againButton(onclick: () => unknown) {
  return el('button', { type: 'button', textContent: 'Show it as it is now', onclick });
}

/** Takes the entry of the dialog out of the history; see `openLayer`. */
let leaveDialog: () => Promise<void> = () => Promise.resolve();

/** Closes the dialog, as its button does. */
export async function closeDialog() {
  await leaveDialog();
  $('#dialog').close();
}

/**
 * Asks before something goes for good.
 *
 * @returns whether it may
 */
export async function confirmed(
  title: string,
  text: string,
  okText: string,
  options?: { danger?: boolean },
) {
  const nodes = [el('p', { textContent: text })];
  return (await ask(title, nodes, okText, undefined, options)) !== null;
}
