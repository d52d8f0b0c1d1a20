/** Keys that other gateways lose, merge or refuse; each is an ordinary key of its own. */
export const ODD_KEYS: readonly string[] = [
  'with space',
  ' leading and trailing ',
  'a+b',
  'a b',
  'a%2Bb',
  '100%',
  'percent%20encoded',
  'question?mark',
  'hash#tag',
  'amp&and=equals',
  'colon:semi;comma,at@bang!star*',
  'quote\'double"lt<gt>back\\slash',
  'paren(1)[2]{3}^`|~',
  'ünïcode/文件/ßtraße',
  'emoji-🚀-and-é-composed-é-decomposed',
  'folder/',
  'folder/below',
  'trailing//',
  'double//slash',
  '/leading-slash',
  '.hidden',
  '...',
  'dots/../up',
  'dots/./here',
  '../outside',
  'x'.repeat(1024),
  'é'.repeat(512),
];

/** A body of its own for each key, so that keys that are taken for each other show. */
export function bodyOf(key: string): string {
  return `body of <${key}>`;
}
