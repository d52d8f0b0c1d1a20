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

/** Words that operators do not use, with those that other consoles have. */
const GLOSSARY: readonly (readonly [found: RegExp, better: string])[] = [
  [/\bunder way\b/i, 'in progress'],
  [/\bbeg(?:ins?|an|un)\b/i, 'starts, started'],
  [/\btak(?:e|es|en|ing) (?:it )?back\b/i, 'revert'],
  [/\bthr(?:ow|own) away\b/i, 'move to trash'],
  [/\bcarried out\b/i, 'run, applied'],
  [/\bmeanwhile\b/i, 'since then, in the meantime'],
  [/\bswitche[sd] o(?:ff|n)\b/i, 'disabled, enabled'],
  [/\bThere is no such\b/i, 'X not found'],
  [/\bheld down\b/i, 'down'],
  [/\bnot well\b/i, 'unhealthy'],
  [/\b(?:makes no sense|as it should)\b/i, 'returned an invalid response'],
  [/\brefuse[sd]?\b/i, 'rejects, denied'],
  [/\b(?:people|person)\b/i, 'user'],
  [/\bmay (?:read|write|use)\b/i, 'can'],
  [/ at most$/i, 'Max X'],
  [/\bthe (?:newest|latest) first\b/i, 'newest first'],
  [/\bformer\b/i, 'previous'],
  [/\bby hand\b/i, 'manually'],
  [/\banew\b/i, 'again'],
  [/\bunfinished uploads?\b/i, 'incomplete multipart uploads'],
  [/\bweb (?:site|address)/i, 'website, URL'],
  [/\bstop(?:ped)? for good\b/i, 'end'],
  [/\bthe last ring\b/i, 'the latest ring'],
  [/\blook(?:ed)? (?:at|again)\b/i, 'checked, Refresh'],
  [/\bleft (?:alone|out)\b/i, 'skipped'],
  [/^What (?:is|are|was|were|the|it|you)\b|^In (?:short|detail)$/, 'name the thing'],
  [/\b(?:colour|authoris|grey)/i, 'American spelling'],
];

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
  ...GLOSSARY.map(([found, better]) => ({ kinds: ALL, found, advice: `say “${better}”` })),
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
