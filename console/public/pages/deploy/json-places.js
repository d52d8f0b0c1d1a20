/** Where the values of a JSON text stand, so that a problem can be shown at its place. */

/** @typedef {{ start: number, end: number }} Place offsets in the text; `end` is behind it */

const BLANK = /[\s,:]*/y;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[^\s,:\]}]+/y;

/**
 * @param {string} text of JSON that can be parsed
 * @returns {Map<string, Place>} by JSON pointer (RFC 6901)
 */
export function placesOf(text) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  let at = 0;
  const take = (/** @type {RegExp} */ pattern) => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  /** @param {string} pointer */
  const value = (pointer) => {
    take(BLANK);
    const start = at;
    const first = text[at];
    if (first === '{') members(pointer);
    else if (first === '[') entries(pointer);
    else if (first === '"') take(TEXT);
    else take(WORD);
    places.set(pointer, { start, end: at });
    take(BLANK);
  };
  /** @param {string} pointer */
  const members = (pointer) => {
    at += 1;
    for (take(BLANK); at < text.length && text[at] !== '}';) {
      const before = at;
      const name = JSON.parse(take(TEXT) || '""');
      value(`${pointer}/${escaped(name)}`);
      if (at === before) return;
    }
    at += 1;
  };
  /** @param {string} pointer */
  const entries = (pointer) => {
    at += 1;
    let index = 0;
    for (take(BLANK); at < text.length && text[at] !== ']'; index++) {
      const before = at;
      value(`${pointer}/${index}`);
      if (at === before) return;
    }
    at += 1;
  };
  value('');
  return places;
}

/** @param {string} name */
function escaped(name) {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The place of a pointer, or of what it would be in, where it is not there.
 *
 * @template T
 * @param {Pick<Map<string, T>, 'get'>} places
 * @param {string} pointer
 * @returns {T | undefined}
 */
export function nearest(places, pointer) {
  for (let wanted = pointer; ; wanted = wanted.slice(0, wanted.lastIndexOf('/'))) {
    const found = places.get(wanted);
    if (found !== undefined || wanted === '') return found;
  }
}

/**
 * The number of the line of an offset, the first being 1.
 *
 * @param {string} text
 * @param {number} offset
 */
export function lineOf(text, offset) {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/**
 * A path as people read it: `nodes 1, devices 2, weight`.
 *
 * @param {string} pointer
 */
export function pathText(pointer) {
  if (pointer === '') return 'the whole document';
  const steps = pointer.slice(1).split('/');
  const words = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return words
    .map((word) => (/^\d+$/.test(word) ? `${Number(word) + 1}` : word))
    .join(', ')
    .replaceAll(/, (\d+)(?=,|$)/g, ' $1');
}

/** @param {number} count */
export function problemsText(count) {
  return count === 1 ? '1 problem' : `${count} problems`;
}
