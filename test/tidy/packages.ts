import { isBuiltin } from 'node:module';
import { isCode } from './import-rules.js';
import { importsOf } from './imports.js';
import type { ProjectFile, Violation } from './project.js';

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The code that is installed to serve; everything else builds, tests and measures it. */
const PRODUCT = ['src/', 'workers/', 'supervisor/', 'console/'];

/** Of a registry: a version. Of a repository: a commit, since a tag can be moved. */
const EXACT_VERSION =
  /^(?:(?:npm:[\w@/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?|github:[\w.-]+\/[\w.-]+#[0-9a-f]{40})$/;

/** Programs that another package looks for: the linter, for its rules that need types. */
const STARTED_BY_OTHERS = new Set(['oxlint-tsgolint']);

/** Dependencies whose version is a range, or a name that can come to mean something else. */
export function versionViolations(manifest: Manifest): Violation[] {
  return Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) => `${name} ${version} is not an exact version`);
}

/**
 * `dependencies` of package.json are the packages that the product loads at run time, and
 * `devDependencies` the others that something uses. An import of types loads nothing.
 */
export function manifestViolations(files: readonly ProjectFile[], manifest: Manifest): Violation[] {
  const loads = loadsOf(files);
  const shipped = new Map(
    loads.filter(({ path }) => isWithin(path, PRODUCT)).map(({ name, path }) => [name, path]),
  );
  const tools = new Map(loads.map(({ name, path }) => [name, path]));
  const started = startedBy(files);
  const isUsed = (name: string) =>
    tools.has(name) ||
    started.has(name) ||
    STARTED_BY_OTHERS.has(name) ||
    name.startsWith('@types/');
  return [
    ...[...shipped]
      .filter(([name]) => !(name in manifest.dependencies))
      .map(([name, path]) => `${path} loads ${name}, which is not in dependencies`),
    ...Object.keys(manifest.dependencies)
      .filter((name) => !shipped.has(name))
      .map((name) => `${name} is in dependencies, but nothing loads it at run time`),
    ...[...tools]
      .filter(([name]) => !shipped.has(name))
      .filter(([name]) => !(name in manifest.devDependencies))
      .map(([name, path]) => `${path} loads ${name}, which is not in devDependencies`),
    ...Object.keys(manifest.devDependencies)
      .filter((name) => !isUsed(name))
      .map((name) => `${name} is in devDependencies, but nothing uses it`),
  ];
}

/**
 * Every dependency has its line of justification, `- \`name\`: …`, in the section of
 * docs/dependencies.md that its place in package.json asks for; no line speaks of one that is gone.
 */
export function explanationViolations(manifest: Manifest, document: string): Violation[] {
  const sections = [
    ['At run time', manifest.dependencies],
    ['For development', manifest.devDependencies],
  ] as const;
  return sections.flatMap(([title, versions]) => {
    const explained = namesUnder(title, document);
    return [
      ...Object.keys(versions)
        .filter((name) => !explained.includes(name))
        .map((name) => `${name} has no line under "${title}" in docs/dependencies.md`),
      ...explained
        .filter((name) => !(name in versions))
        .map((name) => `docs/dependencies.md speaks of ${name} under "${title}": it is none`),
    ];
  });
}

interface Load {
  readonly name: string;
  readonly path: string;
}

function loadsOf(files: readonly ProjectFile[]): Load[] {
  const ours = new Set(files.map(({ path }) => firstOf(path)));
  return files.filter(isCode).flatMap((file) =>
    importsOf(file)
      .filter(({ target, typeOnly }) => !typeOnly && !isBuiltin(target))
      .filter(({ target }) => !ours.has(firstOf(target)))
      .map(({ target }) => ({ name: packageOf(target), path: file.path })),
  );
}

/** Packages of which the tools start a file: `packageFile('mocha/bin/mocha.js')`. */
function startedBy(files: readonly ProjectFile[]): Set<string> {
  const starts = files
    .filter(({ path }) => path.startsWith('ops/'))
    .flatMap(({ text }) => [...text.matchAll(/packageFile\('(?<path>[^']+)'\)/g)]);
  return new Set(starts.map((match) => packageOf(match.groups?.path ?? '')));
}

/** `@a/b` of `@a/b/c.js`; the console serves files of packages as `/vendor/<package>.js`. */
function packageOf(specifier: string): string {
  const vendored = /^\/vendor\/(?<name>[\w-]+)\.js$/.exec(specifier)?.groups?.name;
  if (vendored !== undefined) return vendored;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function namesUnder(title: string, document: string): string[] {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^- `(?<name>[^`]+)`: \S/gm)].map((line) => line.groups?.name ?? '');
}

function firstOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder));
}
