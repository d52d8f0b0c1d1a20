import { posix } from 'node:path';
import { parseSync, Visitor, type Expression, type Node, type ParseResult } from 'oxc-parser';
import type { ProjectFile } from './project.js';

/** One file or package that a source file refers to. */
export interface ImportOf {
  /** Path of our own file, e.g. `src/http/exchange.ts`, or the specifier of a package. */
  readonly target: string;
  /** Gone after compilation: describes a dependency of knowledge, not of code. */
  readonly typeOnly: boolean;
  /** One-based. */
  readonly line: number;
}

interface Reference {
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** Where it begins in the text. */
  readonly start: number;
}

/** The texts and imports of files, which are looked up again and again, by path. */
const known = new Map<string, { readonly text: string; readonly imports: ImportOf[] }>();

/**
 * Everything that a file of TypeScript or JavaScript imports: static, dynamic, re-exported, in types,
 * and what it requires or resolves by a literal name.
 */
export function importsOf({ path, text }: ProjectFile): ImportOf[] {
  const before = known.get(path);
  if (before?.text === text) return before.imports;
  const parsed = parseSync(path, text);
  if (parsed.errors[0] !== undefined) throw new Error(`${path}: ${parsed.errors[0].message}`);
  const imports = [...statementsOf(parsed), ...callsOf(parsed, text)]
    .sort((a, b) => a.start - b.start)
    .map(({ specifier, typeOnly, start }) => ({
      target: resolveTarget(path, specifier),
      typeOnly,
      line: text.slice(0, start).split('\n').length,
    }));
  known.set(path, { text, imports });
  return imports;
}

/** The statements `import` and `export … from`: a type where each of its names is one. */
function statementsOf({ module }: ParseResult): Reference[] {
  const imports = module.staticImports.map(({ start, moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    start,
  }));
  const starts = new Set(imports.map(({ start }) => start));
  const exports = module.staticExports.flatMap(({ start, entries }) => {
    const specifier = entries[0]?.moduleRequest?.value;
    // Of a name that an `import` brought, the parser names that statement.
    if (specifier === undefined || starts.has(start)) return [];
    return [{ specifier, typeOnly: entries.every(({ isType }) => isType), start }];
  });
  return [...imports, ...exports];
}

/** The references in calls and types, of files that have such: a tree is costly to make. */
function callsOf(parsed: ParseResult, text: string): Reference[] {
  if (!/\bimport\s*\(|\bimport\.meta\.resolve\b|\bcreateRequire\b/.test(text)) return [];
  // A module has no other `require`; a function of its own may have the name.
  const hasRequire = /\brequire = createRequire\(/.test(text);
  const found: Reference[] = [];
  const add = ({ start }: Node, given: Node | undefined, typeOnly: boolean): void => {
    const specifier = textOf(given);
    if (specifier !== undefined) found.push({ specifier, typeOnly, start });
  };
  new Visitor({
    TSImportType: (node) => {
      add(node, node.source, true);
    },
    ImportExpression: (node) => {
      add(node, node.source, false);
    },
    CallExpression: (node) => {
      if (isRequire(node.callee, hasRequire)) add(node, node.arguments[0], false);
    },
  }).visit(parsed.program);
  return found;
}

/** `require`, `createRequire(…)`, and `.resolve` of these or of `import.meta`. */
function isRequire(callee: Expression, hasRequire: boolean): boolean {
  if (callee.type === 'Identifier') return hasRequire && callee.name === 'require';
  if (callee.type === 'CallExpression') {
    return callee.callee.type === 'Identifier' && callee.callee.name === 'createRequire';
  }
  if (callee.type !== 'MemberExpression' || callee.computed) return false;
  if (callee.property.name !== 'resolve') return false;
  return callee.object.type === 'MetaProperty' || isRequire(callee.object, hasRequire);
}

/** A text that is written out. */
function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function resolveTarget(importer: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const path = posix.join(posix.dirname(importer), specifier);
  // Compiled files name their imports by the compiler's outputs; scripts name the files themselves.
  return importer.endsWith('.ts') ? path.replace(/\.js$/, '.ts') : path;
}
