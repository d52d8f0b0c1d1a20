/** Names that Swift keeps apart, and that URL classes, file systems and pages make others of. */
export const EDGE_NAMES: Readonly<Record<string, string>> = {
  'a parent folder inside': 'a/../b',
  'a folder of itself': 'a/./b',
  'an empty folder': 'a//b',
  'a slash in front': '/lead',
  'a slash behind': 'trail/',
  'nothing but a parent folder': '..',
  'a drive and backslashes': 'C:\\dir\\file',
  'what a URL means': 'ü ☃?#%25&+=;.txt',
  'encoded dots': '%2e%2e/%2F',
  'blanks at both ends': ' blank ',
  'control characters': 'tab\t line\r\nX-Injected: 1\u0001\u007f',
  markup: '<img src=x onerror=alert(1)>"\'',
  'characters of four bytes, right to left': '\u{1f600}\u202egpj.exe',
  'the name of a table': '_names.json',
  'the longest name': 'x'.repeat(1024),
  'the longest name of two-byte characters': 'é'.repeat(512),
};

export const ALL_EDGE_NAMES = Object.values(EDGE_NAMES);
