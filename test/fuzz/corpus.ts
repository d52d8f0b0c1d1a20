import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** From the project's root: data is not compiled. */
const FOLDER = join(process.cwd(), 'test/fuzz/corpus');

/** All entries of the files of a kind, `<kind>-*.json`: lists of cases that are kept. */
export function readCorpus(kind: string): readonly unknown[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as readonly unknown[]);
}
