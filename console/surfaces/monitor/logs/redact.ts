/** The text in the place of a secret. */
export const HIDDEN_SECRET = '[secret]';

/** Names whose values are secrets, wherever they stand: headers, queries, JSON. */
const NAMES = [
  'x-auth-token',
  'x-storage-token',
  'x-service-token',
  'x-subject-token',
  'x-storage-pass',
  'x-amz-security-token',
  'x-amz-signature',
  'x-csrf-token',
  'temp_url_sig',
  'signature',
  'set-cookie',
  'cookie',
  'console_sid',
  'authorization',
  'password',
  'secret',
  'secret_?key',
  'secret_?access_?key',
  'temp-url-key(?:-2)?',
  'token',
];

const REDACTIONS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Schemes first: their values have a blank in them.
  [/\b(bearer|basic|negotiate)(\s+)[\w.~+/=-]{4,}/gi, `$1$2${HIDDEN_SECRET}`],
  [/\bAUTH_tk[0-9a-z]+/gi, HIDDEN_SECRET],
  // A text in quotes, escaped or not, to its end; anything else to where a value can end.
  [
    new RegExp(
      String.raw`((?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))(?:${NAMES.join('|')})\\?["']?(?:\s*[:=]\s*|%3D))(?:(\\?["'])(?:(?!\2).)*(?:\2)?|[^\s"'\\,;&}\]]+)`,
      'gi',
    ),
    `$1${HIDDEN_SECRET}`,
  ],
];

const LINE_MAX = 16 * 1024;

/** A line of a log without credentials, and short enough to read. */
export function redactLine(line: string): string {
  let redacted = line.slice(0, LINE_MAX);
  for (const [pattern, replacement] of REDACTIONS) {
    redacted = redacted.replace(pattern, replacement);
  }
  return redacted;
}
