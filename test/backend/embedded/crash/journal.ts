import { readFileSync, writeSync } from 'node:fs';

/** The content of an object in the crash test: its bytes follow from both. */
export interface Version {
  readonly size: number;
  readonly seed: number;
}

/** The content of a name: a version, or nothing. */
export type Content = Version | 'absent';

/** The contents that a name may have: the last acknowledged, or those that were under way. */
export type Expectations = ReadonlyMap<string, readonly Content[]>;

/**
 * A writer notes what it is about to do and what was acknowledged. A line is one write(2): whatever
 * was written before a kill is in the file.
 */
export class JournalWriter {
  constructor(private readonly fd: number) {}

  begin(name: string, content: Content): void {
    writeSync(this.fd, `begin ${name} ${encode(content)}\n`);
  }

  acknowledged(name: string): void {
    writeSync(this.fd, `done ${name}\n`);
  }
}

/**
 * Carries expectations over a run of writers. A name is written by one lane at a time, one step
 * after the other, unless it begins with `shared/`: there, whatever anybody began may have won.
 */
export function expectationsAfter(
  before: ReadonlyMap<string, Content>,
  journals: readonly string[],
): Expectations {
  const expected = new Map<string, readonly Content[]>();
  for (const [name, content] of before) expected.set(name, [content]);
  for (const path of journals) {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const [step, name, content] = line.split(' ');
      if (step === undefined || name === undefined) continue;
      const former = expected.get(name) ?? ['absent'];
      if (step === 'begin' && content !== undefined) {
        expected.set(name, [...former, decode(content)]);
      } else if (step === 'done' && !name.startsWith('shared/')) {
        expected.set(name, former.slice(-1));
      }
    }
  }
  return expected;
}

function encode(content: Content): string {
  return content === 'absent' ? content : `${content.size}:${content.seed}`;
}

function decode(text: string): Content {
  if (text === 'absent') return text;
  const [size, seed] = text.split(':').map(Number);
  if (size === undefined || seed === undefined) throw new Error(`not a content: ${text}`);
  return { size, seed };
}
