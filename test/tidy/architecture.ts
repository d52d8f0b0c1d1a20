import { importsOf } from './imports.js';
import type { ProjectFile, Violation } from './project.js';

/** A row of the table of folders in docs/architecture.md. */
interface FolderRow {
  /** With a `/` at the end, e.g. `src/http/`. */
  readonly folder: string;
  /** The folders of `src/` that it imports from, sorted, e.g. `['backend', 'lib']`. */
  readonly imports: readonly string[];
}

/** Folders whose subfolders have rows of their own. */
const PARENTS = ['src/', 'src/s3/', 'src/backend/', 'console/', 'ops/'];
const LONE_FOLDERS = ['workers/', 'supervisor/', 'bench/', 'test/'];

const ROW = /^\| `([\w./-]+\/)` \|[^|]+\|([^|]*)\|$/;

/** The rows of the page, in its order. */
export function folderRows(page: string): FolderRow[] {
  return page.split('\n').flatMap((line) => {
    const [, folder, imports = ''] = ROW.exec(line) ?? [];
    if (folder === undefined) return [];
    return [
      { folder, imports: [...imports.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? '') },
    ];
  });
}

/**
 * Compares the table with the tree: a row for each folder and no other, and in the rows of `src/`
 * the folders that its files import from, types included.
 */
export function architectureViolations(files: readonly ProjectFile[], page: string): Violation[] {
  const rows = folderRows(page);
  const folders = foldersOf(files);
  const listed = new Set(rows.map(({ folder }) => folder));
  return [
    ...[...folders]
      .filter((folder) => !listed.has(folder))
      .map((folder) => `docs/architecture.md has no row for ${folder}`),
    ...rows
      .filter(({ folder }) => !folders.has(folder))
      .map(({ folder }) => `docs/architecture.md has a row for ${folder}, which is not there`),
    ...rows.flatMap(({ folder, imports }) => {
      if (!/^src\/[^/]+\/$/.test(folder) || !folders.has(folder)) return [];
      const found = importedFolders(files, folder);
      if (found.join() === imports.join()) return [];
      return [`docs/architecture.md: ${folder} imports ${names(found)}, and not ${names(imports)}`];
    }),
  ];
}

function foldersOf(files: readonly ProjectFile[]): Set<string> {
  const found = new Set(LONE_FOLDERS);
  for (const { path } of files) {
    for (const parent of PARENTS) {
      if (!path.startsWith(parent)) continue;
      const [name, ...below] = path.slice(parent.length).split('/');
      if (below.length > 0) found.add(`${parent}${name}/`);
    }
  }
  return found;
}

function importedFolders(files: readonly ProjectFile[], folder: string): string[] {
  const found = new Set<string>();
  for (const file of files) {
    if (!file.path.startsWith(folder) || !file.path.endsWith('.ts')) continue;
    for (const { target } of importsOf(file)) {
      const [, name] = /^src\/([^/]+)\//.exec(target) ?? [];
      if (name !== undefined && `src/${name}/` !== folder) found.add(name);
    }
  }
  return [...found].sort();
}

function names(folders: readonly string[]): string {
  return folders.length === 0 ? 'none' : folders.map((name) => `\`${name}\``).join(', ');
}
