import { API } from 'typescript/unstable/sync';
import * as ast from 'typescript/unstable/ast';

/**
 * Finds copies of values that are handed on whole: `{ ...call, more }`, `const { a, ...rest } = call`
 * and `Object.assign({}, call)` take the own fields of an object and lose its getters and methods,
 * which for the context of a call are how a request is cancelled. `typescript/no-misused-spread` of
 * the linter knows values that are declared as classes; these interfaces may have a class behind
 * them, so that the compiler is asked for the type of what is copied.
 */

const WHOLE = new Set(['CallContext', 'RequestContext', 'Exchange', 'Cancellation']);

/**
 * @typedef {{ file: string, line: number, name: string }} Copy `name` of the type that is copied
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('typescript/unstable/sync').Checker} Checker
 *
 * @param {string} config absolute path of a project's `tsconfig.json`
 * @param {(file: string) => boolean} isWanted which of its sources are looked at, by absolute path
 * @param {import('typescript/unstable/sync').APIOptions} [options] such as the files that it reads
 * @returns {Copy[]}
 */
export function contextCopies(config, isWanted, options = {}) {
  const api = new API(options);
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no project ${config}`);
    const { checker, program } = project;
    return program
      .getSourceFileNames()
      .filter(isWanted)
      .flatMap((file) => {
        const source = program.getSourceFile(file);
        if (source === undefined || !/\.\.\.|\bassign\(/.test(source.text)) return [];
        return copiedIn(source).flatMap((node) => {
          const name = wholeName(checker, checker.getTypeAtLocation(node));
          if (name === undefined) return [];
          const line = source.text.slice(0, node.getStart(source)).split('\n').length;
          return [{ file, line, name }];
        });
      });
  } finally {
    api.close();
  }
}

/**
 * @param {import('typescript/unstable/ast').SourceFile} source
 * @returns {import('typescript/unstable/ast').Node[]} expressions and patterns of which a part is
 *   copied
 */
function copiedIn(source) {
  /** @type {import('typescript/unstable/ast').Node[]} */
  const found = [];
  const visit = (/** @type {import('typescript/unstable/ast').Node} */ node) => {
    if (ast.isSpreadAssignment(node)) {
      found.push(node.expression);
    } else if (ast.isObjectBindingPattern(node)) {
      if (node.elements.some((one) => one.dotDotDotToken !== undefined)) found.push(node);
    } else if (ast.isBinaryExpression(node) && ast.isObjectLiteralExpression(node.left)) {
      if (node.left.properties.some(ast.isSpreadAssignment)) found.push(node.right);
    } else if (ast.isCallExpression(node) && isObjectAssign(node.expression)) {
      found.push(...node.arguments.slice(1));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** @param {import('typescript/unstable/ast').Expression} callee */
function isObjectAssign(callee) {
  return (
    ast.isPropertyAccessExpression(callee) &&
    callee.name.text === 'assign' &&
    ast.isIdentifier(callee.expression) &&
    callee.expression.text === 'Object'
  );
}

/**
 * The name of the interface that a type is, has, or extends; undefined where there is none.
 *
 * @param {Checker} checker
 * @param {Type | undefined} type
 * @returns {string | undefined}
 */
function wholeName(checker, type, depth = 0) {
  if (type === undefined || depth > 8) return undefined;
  const name = (type.getAliasSymbol() ?? type.getSymbol())?.name;
  if (name !== undefined && WHOLE.has(name)) return name;
  const constraint = checker.getBaseConstraintOfType(type);
  const related = [
    ...(type.isUnionType() || type.isIntersectionType() ? type.getTypes() : []),
    ...(type.isClassOrInterface() ? checker.getBaseTypes(type) : []),
    ...(constraint === undefined || constraint.id === type.id ? [] : [constraint]),
  ];
  for (const one of related) {
    const found = wholeName(checker, one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
