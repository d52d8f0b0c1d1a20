/**
 * Forbids copies of values that are handed on whole: `{ ...call, more }`, `const { a, ...rest } =
 * call` and `Object.assign({}, call)` take the own fields of an object and lose its getters and
 * methods, which for the context of a call are how a request is cancelled.
 * `@typescript-eslint/no-misused-spread` knows values that are declared as classes; these interfaces
 * may have a class behind them.
 */

const WHOLE = new Set(['CallContext', 'RequestContext', 'Exchange', 'Cancellation']);

/** @type {import('eslint').Rule.RuleModule} */
export const noContextSpread = {
  meta: {
    type: 'problem',
    docs: { description: 'forbid copies of contexts' },
    schema: [],
    messages: {
      copied:
        'A {{name}} is handed on as it is, and not copied: a copy loses getters and methods. ' +
        'Say what differs in another argument, or name the fields that a new value needs.',
    },
  },
  create(context) {
    const { program, getTypeAtLocation } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();

    /**
     * @param {import('estree').Node} node
     * @param {import('estree').Node} of what is copied
     */
    function check(node, of) {
      const name = wholeName(checker, getTypeAtLocation(of));
      if (name !== undefined) context.report({ node, messageId: 'copied', data: { name } });
    }

    return {
      /** @param {import('estree').SpreadElement} node */
      'ObjectExpression > SpreadElement'(node) {
        check(node, node.argument);
      },
      /** @param {import('estree').RestElement & import('eslint').Rule.NodeParentExtension} node */
      'ObjectPattern > RestElement'(node) {
        check(node, node.parent);
      },
      /** @param {import('estree').CallExpression} node */
      'CallExpression[callee.object.name="Object"][callee.property.name="assign"]'(node) {
        for (const source of node.arguments.slice(1)) check(node, source);
      },
    };
  },
};

/**
 * The name of the interface that a type is, has, or extends; undefined where there is none.
 *
 * @param {import('typescript').TypeChecker} checker
 * @param {import('typescript').Type} type
 * @returns {string | undefined}
 */
function wholeName(checker, type, depth = 0) {
  if (depth > 8) return undefined;
  const name = type.aliasSymbol?.name ?? type.symbol?.name;
  if (WHOLE.has(name)) return name;
  const constraint = checker.getBaseConstraintOfType(type);
  const related = [
    ...(type.isUnionOrIntersection() ? type.types : []),
    ...(type.isClassOrInterface() ? checker.getBaseTypes(type) : []),
    ...(constraint === undefined || constraint === type ? [] : [constraint]),
  ];
  for (const one of related) {
    const found = wholeName(checker, one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
