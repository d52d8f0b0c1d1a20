import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's own files, as the tidy rules see them. */
export interface ProjectFile {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A rule that is broken, and where: one readable line. */
export type Violation = string;

const ROOT = process.cwd();
const TEXT_FILES = /(?:\.(?:ts|mjs|cjs|js|json|py|css|html|md|sh|yml|yaml|conf|service)|\/run)$/;

/**
 * All text files of the project, sorted by path: without what .gitignore names, and without the
 * lock file. The folder is read, not the version control, so that a file counts before it is added.
 */
export function projectFiles(): ProjectFile[] {
  const ignored = new Set(['.git', ...ignoredFolders()]);
  const paths: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ignored.has(entry.name)) visit(path);
      } else if (TEXT_FILES.test(path) && path !== 'package-lock.json') {
        paths.push(path);
      }
    }
  };
  visit('');
  return paths.sort().map((path) => ({ path, text: readProjectFile(path) }));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function ignoredFolders(): string[] {
  return readProjectFile('.gitignore')
    .split('\n')
    .filter((line) => line.endsWith('/'))
    .map((line) => line.slice(0, -1));
}
