import { query, raw } from '../../js/api.js';
import { bytesText, el, messageOf } from '../../js/dom.js';

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Larger pictures are fetched on demand. */
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
const TEXTS = /^(?:text\/|application\/(?:json|xml|x-yaml|yaml|toml|javascript|x-sh|sql|csv))/;

/**
 * A look at an object: pictures of safe types, and the beginning of texts as plain text.
 *
 * @param {string} container
 * @param {string} name
 * @param {{ bytes: number, content_type: string }} info
 */
export function previewOf(container, name, { bytes, content_type: type }) {
  const [plain = ''] = type.split(';');
  const section = el('section', {}, el('h3', { textContent: 'Preview' }));
  const body = el('div');
  section.append(body);
  if (IMAGES.has(plain)) {
    const show = () => body.replaceChildren(imageOf(container, name));
    if (bytes <= IMAGE_BYTES_MAX) show();
    else body.append(buttonFor(`Show picture (${bytesText(bytes)})`, show));
    return section;
  }
  const show = () => showText(body, container, name);
  if (TEXTS.test(plain)) show();
  else body.append(buttonFor('Show the beginning as text', show));
  return section;
}

/**
 * @param {string} text
 * @param {() => unknown} work
 */
function buttonFor(text, work) {
  return el('button', { textContent: text, onclick: work });
}

/**
 * @param {string} container
 * @param {string} name
 */
function imageOf(container, name) {
  const src = `/api/files/object/body?${query({ container, name, disposition: 'inline' })}`;
  const image = el('img', { src, alt: `Preview of ${name}` });
  image.onerror = () => image.replaceWith('This is no picture that can be shown.');
  return image;
}

/**
 * @param {HTMLElement} body
 * @param {string} container
 * @param {string} name
 */
async function showText(body, container, name) {
  body.replaceChildren(el('p', { className: 'quiet', textContent: 'Loading…' }));
  try {
    const answer = await raw('GET', `/api/files/object/preview?${query({ container, name })}`);
    const text = await answer.text();
    const box = el('pre', { textContent: text, tabIndex: 0 });
    box.setAttribute('aria-label', `Beginning of ${name}`);
    const cut = answer.headers.get('x-preview-truncated') === '1';
    const note = text === '' ? 'It is empty.' : cut ? 'Only the first 64 KiB.' : '';
    body.replaceChildren(
      ...(text === '' ? [] : [box]),
      el('p', { className: 'quiet', textContent: note }),
    );
  } catch (error) {
    body.replaceChildren(el('p', { className: 'quiet', textContent: messageOf(error) }));
  }
}
