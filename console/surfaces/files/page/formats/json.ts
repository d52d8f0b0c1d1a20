const STRING = /"(?:[^"\\]|\\.)*"/y;
const SPACE = /\s/;

/**
 * Puts each value of a JSON text on a line of its own. Numbers and strings stay as they are written:
 * reading them would round long numbers and drop keys that come twice.
 *
 * @returns null for a text that is no JSON
 */
export function indentJson(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let made = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, DEPTH_SHOWN))}`;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '"') {
      STRING.lastIndex = at;
      const [string = ''] = STRING.exec(text) ?? [];
      made += string;
      at += string.length - 1;
    } else if (sign === '{' || sign === '[') {
      const end = nextSign(text, at + 1);
      if (text[end] === '}' || text[end] === ']') {
        made += sign + text[end];
        at = end;
      } else {
        depth += 1;
        made += sign + line();
      }
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
      made += line() + sign;
    } else if (sign === ',') made += sign + line();
    else if (sign === ':') made += ': ';
    else if (!SPACE.test(sign)) made += sign;
  }
  return made;
}

/** Deeper values are not moved to the right any more: the text would grow with the square of it. */
const DEPTH_SHOWN = 32;

function nextSign(text: string, from: number) {
  let at = from;
  while (SPACE.test(text[at] ?? '')) at += 1;
  return at;
}
