/**
 * What was given, in words: for places where a value may be a secret that was put there by mistake,
 * and must not reach a terminal or a log.
 *
 * @param allowed - one character that may stand there; undefined when the rule is about the whole
 * @returns to follow "got"; undefined when nothing was given
 */
export function describeUnshown(value: unknown, allowed?: RegExp): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'null';
  if (typeof value !== 'string')
    return Array.isArray(value) ? 'a list' : KIND_OF_VALUE[typeof value];
  const characters = Array.from(value);
  const length = `${characters.length} ${characters.length === 1 ? 'character' : 'characters'}`;
  const index = characters.findIndex((character) => allowed?.test(character) === false);
  if (index === -1) return length;
  return `${length}, of which number ${index + 1} is ${kindOf(characters[index] ?? '')}`;
}

/** Of what JSON has. */
const KIND_OF_VALUE: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
};

/** The first that fits. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'a control character'],
  [/\p{White_Space}/u, 'white space'],
  [/[^\x20-\x7e]/u, 'not ASCII'],
  [/[A-Za-z]/, 'a letter'],
  [/[0-9]/, 'a digit'],
];

function kindOf(character: string): string {
  return KINDS.find(([pattern]) => pattern.test(character))?.[1] ?? 'punctuation';
}
