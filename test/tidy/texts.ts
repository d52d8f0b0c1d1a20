import { readProjectFile, type Violation } from './project.js';

/** A text of the console, as the build has collected it: ops/dev/lib/texts.mjs. */
export interface ShownText {
  readonly text: string;
  readonly kind: 'button' | 'heading' | 'text';
  readonly places: readonly string[];
}

/** All texts of the console. */
export function shownTexts(): readonly ShownText[] {
  return JSON.parse(readProjectFile('dist/console/texts.json')) as ShownText[];
}

interface Rule {
  readonly kinds: readonly ShownText['kind'][];
  readonly found: RegExp;
  readonly advice: string;
}

const ALL = ['button', 'heading', 'text'] as const;
const SHORT = ['button', 'heading'] as const;

/** Names and terms that have capitals of their own; others begin a text, or are keys. */
const NAMES =
  /\b(?:API|Audit|CORS|CSV|Chromium|Ctrl|Deploy|Files|Governance|JSON|Lab|Lock|MD5|Markdown|Monitor|Object|Prometheus|Ringway|S3|SLO|SVG|Swift|TempURLs?|URLs?|Users|UTC|XML|ZIP)\b/g;

/** The wording rules of docs/console-development.md that a program can hold. */
const RULES: readonly Rule[] = [
  {
    kinds: ALL,
    found:
      /companions|a rule a line|such an object already|was recorded so|found well|distance of the nodes|the same on the proxy|on our side|its trash, too/i,
    advice: 'say it in the usual words',
  },
  {
    kinds: ALL,
    found: /\b(?:somebody|whoever|whomever)\b/i,
    advice: 'name the subject',
  },
  { kinds: ALL, found: /\.{3}/, advice: 'write … for an ellipsis' },
  { kinds: ALL, found: /\p{L} {2,}\p{L}/u, advice: 'write one blank between words' },
  { kinds: ALL, found: /(?<![\w=])"[^"]+"/, advice: 'quote as “this”' },
  { kinds: ALL, found: /\p{L} [,;.](?:\s|$)/u, advice: 'no blank before a sign' },
  { kinds: SHORT, found: /^\s|\s$/, advice: 'no blank at either end' },
  { kinds: ['button'], found: /[.:;,]$/, advice: 'a button has no sign at its end' },
  { kinds: SHORT, found: /^[a-z]/, advice: 'begin with a capital' },
  { kinds: ['button'], found: /\s[A-Z][a-z]+/, advice: 'only the first word has a capital' },
];

/** One line for each text that breaks a rule, with its first place. */
export function textViolations(texts: readonly ShownText[]): Violation[] {
  return texts.flatMap(({ text, kind, places }) =>
    RULES.filter(({ kinds, found, advice }) => {
      const checked = advice.startsWith('only') ? text.replaceAll(NAMES, 'x') : text;
      return kinds.includes(kind) && found.test(checked);
    }).map(({ advice }) => `console/${places[0] ?? ''} shows "${text}": ${advice}`),
  );
}
