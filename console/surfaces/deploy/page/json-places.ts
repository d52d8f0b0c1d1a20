/** Where the values of a JSON text stand, so that a problem can be shown at its place. */

/** Offsets in the text; `end` is behind it. */
export interface Place {
  start: number;
  end: number;
}

const BLANK = /[\s,:]*/y;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[^\s,:\]}]+/y;

/**
 * @param text of JSON that can be parsed
 * @returns by JSON pointer (RFC 6901)
 */
export function placesOf(text: string): Map<string, Place> {
  const places = new Map<string, Place>();
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const value = (pointer: string) => {
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
  const members = (pointer: string) => {
    at += 1;
    for (take(BLANK); at < text.length && text[at] !== '}';) {
      const before = at;
      const name = JSON.parse(take(TEXT) || '""') as string;
      value(`${pointer}/${escaped(name)}`);
      if (at === before) return;
    }
    at += 1;
  };
  const entries = (pointer: string) => {
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

function escaped(name: string) {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The place of a pointer, or of what it would be in, where it is not there. */
export function nearest<T>(places: Pick<Map<string, T>, 'get'>, pointer: string): T | undefined {
  for (let wanted = pointer; ; wanted = wanted.slice(0, wanted.lastIndexOf('/'))) {
    const found = places.get(wanted);
    if (found !== undefined || wanted === '') return found;
  }
}

/** The number of the line of an offset, the first being 1. */
export function lineOf(text: string, offset: number) {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/** A path as people read it: `nodes 1, devices 2, weight`. */
export function pathText(pointer: string) {
  if (pointer === '') return 'the whole document';
  const steps = pointer.slice(1).split('/');
  const words = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return words
    .map((word) => (/^\d+$/.test(word) ? `${Number(word) + 1}` : word))
    .join(', ')
    .replaceAll(/, (\d+)(?=,|$)/g, ' $1');
}

export function problemsText(count: number) {
  return count === 1 ? '1 problem' : `${count} problems`;
}
