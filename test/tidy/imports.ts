import { posix } from 'node:path';
import ts from 'typescript';
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

/**
 * Everything that a file of TypeScript or JavaScript imports: static, dynamic, re-exported, in types,
 * and what it requires or resolves by a literal name.
 */
export function importsOf(file: ProjectFile): ImportOf[] {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
  // A module has no other `require`; a function of its own may have the name.
  const hasRequire = /\brequire = createRequire\(/.test(file.text);
  const found: ImportOf[] = [];
  const visit = (node: ts.Node): void => {
    const reference = referenceOf(node, hasRequire);
    if (reference !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const target = resolveTarget(file.path, reference.specifier);
      found.push({ target, typeOnly: reference.typeOnly, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

interface Reference {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

function referenceOf(node: ts.Node, hasRequire: boolean): Reference | undefined {
  if (ts.isImportDeclaration(node)) {
    return reference(node.moduleSpecifier, isTypeImport(node.importClause));
  }
  if (ts.isExportDeclaration(node)) return reference(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return reference(node.argument.literal, true);
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return reference(node.arguments[0], false);
  }
  if (ts.isCallExpression(node) && isRequire(node.expression, hasRequire)) {
    return reference(node.arguments[0], false);
  }
  return undefined;
}

/** `require`, `createRequire(…)`, and `.resolve` of these or of `import.meta`. */
function isRequire(callee: ts.Expression, hasRequire: boolean): boolean {
  if (ts.isIdentifier(callee)) return hasRequire && callee.text === 'require';
  if (ts.isCallExpression(callee)) {
    return ts.isIdentifier(callee.expression) && callee.expression.text === 'createRequire';
  }
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== 'resolve') return false;
  return ts.isMetaProperty(callee.expression) || isRequire(callee.expression, hasRequire);
}

function reference(specifier: ts.Node | undefined, typeOnly: boolean): Reference | undefined {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined;
  return { specifier: specifier.text, typeOnly };
}

/** `import type …`, or braces in which every name is a `type`. */
function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

function resolveTarget(importer: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const path = posix.join(posix.dirname(importer), specifier);
  // What is compiled names its sources by what becomes of them; scripts are what they are.
  return importer.endsWith('.ts') ? path.replace(/\.js$/, '.ts') : path;
}
