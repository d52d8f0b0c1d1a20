import { parsePattern, PatternError, type Pattern } from './pattern-parser.js';

/** A step of the machine; `next` of a branch are all that come after. */
type Step =
  | { readonly kind: 'one'; readonly fits: (code: number) => boolean; next: number }
  | { readonly kind: 'branch'; next: number[] }
  | { readonly kind: 'start' | 'end'; next: number }
  | { readonly kind: 'found' };

const STEPS_MAX = 2000;

/**
 * Tells whether a text has a part that fits a regular expression, whatever its case. All ways through
 * the pattern are followed side by side (Thompson's construction): the time is at most the length of
 * the text times that of the pattern, for every pattern.
 *
 * @throws PatternError
 */
export function patternMatcher(text: string): (text: string) => boolean {
  const steps: Step[] = [{ kind: 'found' }];
  const first = build(parsePattern(text), 0, steps);
  const seen = new Uint32Array(steps.length);
  let mark = 0;
  return (given) => {
    const codes = Array.from(given.toLowerCase(), (sign) => sign.codePointAt(0) ?? 0);
    let current: number[] = [];
    for (let at = 0; at <= codes.length; at++) {
      // Zero is what no step has been seen at.
      mark = mark === 0xffffffff ? 1 : mark + 1;
      if (mark === 1) seen.fill(0);
      const open = [...current, first];
      current = [];
      for (let step = open.pop(); step !== undefined; step = open.pop()) {
        if (seen[step] === mark) continue;
        seen[step] = mark;
        const known = steps[step];
        switch (known?.kind) {
          case 'found':
            return true;
          case 'branch':
            open.push(...known.next);
            break;
          case 'start':
            if (at === 0) open.push(known.next);
            break;
          case 'end':
            if (at === codes.length) open.push(known.next);
            break;
          case 'one': {
            const code = codes[at];
            if (code !== undefined && known.fits(code)) current.push(known.next);
            break;
          }
          case undefined:
            break;
        }
      }
    }
    return false;
  };
}

/** Adds what a pattern needs in front of `next`. @returns where it begins */
function build(pattern: Pattern, next: number, steps: Step[]): number {
  switch (pattern.kind) {
    case 'empty':
      return next;
    case 'start':
    case 'end':
      return add(steps, { kind: pattern.kind, next });
    case 'one':
      return add(steps, { kind: 'one', fits: pattern.fits, next });
    case 'all':
      return pattern.parts.reduceRight((after, part) => build(part, after, steps), next);
    case 'any':
      return add(steps, {
        kind: 'branch',
        next: pattern.parts.map((part) => build(part, next, steps)),
      });
    case 'repeat':
      return buildRepeat(pattern, next, steps);
  }
}

function buildRepeat(
  { part, min, max }: Extract<Pattern, { kind: 'repeat' }>,
  next: number,
  steps: Step[],
): number {
  let after = next;
  if (max === Infinity) {
    const loop: Step = { kind: 'branch', next: [next] };
    after = add(steps, loop);
    loop.next.push(build(part, after, steps));
  } else {
    for (let i = min; i < max; i++) {
      after = add(steps, { kind: 'branch', next: [build(part, after, steps), next] });
    }
  }
  for (let i = 0; i < min; i++) after = build(part, after, steps);
  return after;
}

/** @throws PatternError */
function add(steps: Step[], step: Step): number {
  if (steps.length === STEPS_MAX) throw new PatternError('The pattern repeats too much.');
  return steps.push(step) - 1;
}
