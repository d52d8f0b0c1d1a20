import { importsOf } from './imports.js';
import type { ProjectFile, Violation } from './project.js';

/**
 * Files that import each other, in a circle: none can be understood, tested or moved without the
 * others, and which of them runs first depends on who asks. An import of types alone is no part of
 * it, but for `withTypes`: a reader has to follow that as well.
 * @returns a line for each circle, with its files in order
 */
export function importCycles(files: readonly ProjectFile[], withTypes = false): Violation[] {
  const known = new Set(files.map(({ path }) => path));
  const targets = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ target, typeOnly }) => (withTypes || !typeOnly) && known.has(target))
        .map(({ target }) => target),
    ]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const found: Violation[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      const circle = [...way.slice(way.indexOf(path)), path];
      found.push(circle.join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    state.set(path, 'done');
  };
  for (const { path } of files) visit(path, []);
  return found;
}
