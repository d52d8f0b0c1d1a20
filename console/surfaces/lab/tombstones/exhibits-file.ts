import { open } from 'node:fs/promises';
import type { Exhibit, TombstoneClass } from './classify.js';

export interface PageInput {
  readonly file: string;
  readonly class: TombstoneClass | null;
  /** Where to begin: 0, or the `next` of the page before. */
  readonly cursor: number;
  readonly limit: number;
}

export interface ExhibitsPage {
  readonly items: readonly Exhibit[];
  /** Null at the end. */
  readonly next: number | null;
}

/** Reads on in a file of exhibits. @throws system errors */
export async function readExhibits(input: PageInput): Promise<ExhibitsPage> {
  const items: Exhibit[] = [];
  for await (const { exhibit, end } of exhibitsIn(input.file, input.cursor)) {
    const isWanted =
      input.class === null || exhibit.classes.some(({ class: one }) => one === input.class);
    if (isWanted) items.push(exhibit);
    if (items.length >= input.limit) return { items, next: end };
  }
  return { items, next: null };
}

/** @throws system errors */
export async function findExhibit(file: string, hash: string): Promise<Exhibit | null> {
  for await (const { exhibit } of exhibitsIn(file, 0)) if (exhibit.hash === hash) return exhibit;
  return null;
}

/** A cursor that is not at the beginning of a line gives nothing of that line. */
async function* exhibitsIn(
  file: string,
  start: number,
): AsyncGenerator<{ readonly exhibit: Exhibit; readonly end: number }> {
  const handle = await open(file, 'r');
  try {
    let end = start;
    for await (const line of handle.readLines({ start, autoClose: false })) {
      end += Buffer.byteLength(line) + 1;
      const exhibit = parsed(line);
      if (exhibit !== undefined) yield { exhibit, end };
    }
  } finally {
    await handle.close();
  }
}

function parsed(line: string): Exhibit | undefined {
  try {
    return JSON.parse(line) as Exhibit;
  } catch {
    return undefined;
  }
}
