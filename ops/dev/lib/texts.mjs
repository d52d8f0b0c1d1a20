import ts from 'typescript';

/**
 * Collects the texts that the console shows, as gettext's extractor does: texts stay beside the code
 * that shows them. A string counts by where it stands (what `textContent` or a message is set to, a
 * child of an element) or, where that says nothing, by its look: several words, or a word with a
 * capital.
 */

/**
 * @typedef {'button' | 'heading' | 'text'} Kind what shows the text
 * @typedef {{ text: string, kind: Kind, line: number }} Found expressions in it are in braces
 */

/**
 * @param {string} file its name says how it is read
 * @param {string} source
 * @returns {Found[]}
 */
export function textsIn(file, source) {
  if (file.endsWith('.html')) return textsInHtml(source);
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const isPage = file.startsWith('public/');
  /** @type {Found[]} */
  const found = [];
  const visit = (/** @type {ts.Node} */ node) => {
    const text = textOf(node);
    if (text !== null && /\p{L}{2}/u.test(text) && !isPartOfText(node)) {
      const kind = kindOf(node, text, isPage);
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      if (kind !== null) found.push({ text, kind, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * A text with its expressions in braces: `Delete “{name}”`.
 *
 * @param {ts.Node} node
 */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const parts = node.templateSpans.map(
    ({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`,
  );
  return node.head.text + parts.join('');
}

/** @param {ts.Expression} expression */
function nameOf(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  if (ts.isCallExpression(expression) && expression.arguments[0] !== undefined)
    return nameOf(expression.arguments[0]);
  return '…';
}

/** The literals of a template are a part of the template. @param {ts.Node} node */
function isPartOfText(node) {
  return node.parent !== undefined && ts.isTemplateSpan(node.parent) && ts.isTemplateLiteral(node)
    ? isTechnicalTemplate(node.parent.parent)
    : false;
}

/** @param {ts.Node} node */
function isTechnicalTemplate(node) {
  return /^[/#.]|https?:/.test(textOf(node) ?? '');
}

/** Properties, attributes and fields of messages that are shown. */
const SHOWN = new Set([
  ...['textContent', 'title', 'placeholder', 'ariaLabel', 'alt', 'caption', 'label', 'text'],
  ...['hint', 'message', 'purpose', 'about', 'emptyText', 'okText', 'note', 'problem', 'help'],
  ...['what', 'meaning', 'summary', 'advice', 'heading', 'aria-label', 'aria-description'],
]);
/** Functions whose first argument is shown. */
const SHOWING = new Set(['ask', 'confirmed', 'toast', 'quiet', 'section', 'card', 'field', 'act']);
const BUTTONS = new Set(['button', 'act']);
const HEADINGS = new Set(['section', 'card', 'pageHead', 'h1', 'h2', 'h3', 'h4', 'th']);
/** Dialogs: the title, what they hold, and the button. */
const ASKING = new Set(['ask', 'confirmed']);

/** Properties that programs read. */
const TECHNICAL = new Set([
  ...['className', 'id', 'type', 'name', 'href', 'role', 'rel', 'for', 'autocomplete', 'method'],
  ...['icon', 'scope', 'path', 'url', 'src', 'key', 'code', 'mark', 'kind', 'state', 'style'],
  ...['action', 'audits', 'access', 'feature', 'styles', 'prefixes', 'headers', 'unit', 'query'],
]);
/** Functions whose arguments are for programs. */
const UNSHOWN =
  /^(?:\$|querySelector(?:All)?|closest|matches|[gs]etItem|removeAttribute|getAttribute|addEventListener|Event|Symbol|call|raw|fetch|URL|URLSearchParams|createElement(?:NS)?|includes|startsWith|endsWith|split|join|replace|replaceAll|indexOf|has|get|test|exec|match|icon|set|all|debug|info|warn|error|fatal|import|require|publish|regex|header|do|expect|read|send|put|post|delete|on|once|emit)$/;

/** Names of keys and events, and of types: words with a capital that are no texts. */
const KEY = /^(?:Arrow\w+|Enter|Escape|Home|End|Tab|Page(?:Up|Down)|Delete|Backspace)$/;
const HEADER = /^[A-Z][A-Za-z0-9]*(?:-[A-Z][A-Za-z0-9]*)+$/;

/**
 * @param {ts.Node} node a text
 * @param {string} text
 * @param {boolean} isPage whether browsers load the file: elsewhere, much is for logs
 * @returns {Kind | null} null where it is not shown
 */
function kindOf(node, text, isPage) {
  const place = placeOf(node);
  if (place === null) return null;
  if (/^[#.]\w|^--|^(?:GET|HEAD|PUT|POST|PATCH|DELETE) \//.test(text)) return null;
  const { property, callee, index, element } = place;
  const kind = shownBy(element ?? callee ?? '', index, element !== null);
  if (property !== null && TECHNICAL.has(property)) return null;
  const isWords = isSentence(text, isPage);
  if (property !== null && SHOWN.has(property)) {
    return isWords || (isPage && property !== 'text') ? kind : null;
  }
  if (callee === 'el') return index > 1 && element !== 'code' ? kind : null;
  if (callee === 'setAttribute') return property === null ? null : 'text';
  if (callee !== null && SHOWING.has(callee)) return index === 0 || isWords ? kind : null;
  if (callee !== null && UNSHOWN.test(callee)) return null;
  if (!isWords) return null;
  return isPage || callee === 'ApiError' || /[.!?…]$|^[A-Z][^:]* /.test(text) ? 'text' : null;
}

/**
 * @param {string} name of an element or a function
 * @param {number} index
 * @param {boolean} isElement
 * @returns {Kind}
 */
function shownBy(name, index, isElement) {
  if (ASKING.has(name)) return index === 0 ? 'heading' : index === 2 ? 'button' : 'text';
  if (index > 0 && !isElement) return 'text';
  if (BUTTONS.has(name)) return 'button';
  return HEADINGS.has(name) ? 'heading' : 'text';
}

/** Whether it looks like words for people. @param {string} text @param {boolean} isPage */
function isSentence(text, isPage) {
  const isWords = /\p{L}{2,}[,.;:]? +\S*\p{L}|\{\S+\} \p{L}{2}|^\p{L}+ \{/u.test(text);
  if (/[{};]\s*\n|=>|^[.#/[]|^\w+\/\w|:\/\/|^--|==|\bvar\(/.test(text)) return false;
  if (!isPage) return isWords && /^[A-Z“{]/.test(text);
  const isWord = /^[A-Z][a-zé]+$/.test(text) && !KEY.test(text);
  return (isWords || isWord) && !HEADER.test(text) && !/^[a-z-]+(?: [a-z]+-[a-z-]+)+$/.test(text);
}

/**
 * Where a text stands: in which property, and as which argument of which function; null where no
 * text stands. Choices (`a ? 'x' : 'y'`, `a ?? 'x'`), lists and spreads stand where their whole does.
 *
 * @param {ts.Node} node
 * @returns {{ property: string | null, callee: string | null, index: number, element: string | null } | null}
 */
function placeOf(node) {
  /** @type {ts.Node} */
  let child = node;
  /** @type {string | null} */
  let property = null;
  for (let up = node.parent; up !== undefined; child = up, up = up.parent) {
    if (ts.isPropertyAssignment(up)) {
      if (up.name === child) return null;
      property ??= up.name.getText().replaceAll(/^['"]|['"]$/g, '');
    } else if (ts.isCallExpression(up) || ts.isNewExpression(up)) {
      return inCall(up, child, property);
    } else if (ts.isBinaryExpression(up)) {
      const sign = up.operatorToken.kind;
      if (sign === ts.SyntaxKind.EqualsToken) {
        if (up.left === child) return null;
        property ??= ts.isPropertyAccessExpression(up.left) ? up.left.name.text : null;
        if (/\bdataset\b|\bstyle\b/.test(up.left.getText())) return null;
        return { property, callee: null, index: 0, element: null };
      }
      if (!isChoice(sign)) return null;
    } else if (isNoText(up, child)) {
      return null;
    } else if (ts.isStatement(up) || ts.isVariableDeclaration(up) || ts.isFunctionLike(up)) {
      return { property, callee: null, index: 0, element: null };
    }
  }
  return null;
}

/** @param {ts.SyntaxKind} sign */
function isChoice(sign) {
  const { QuestionQuestionToken, BarBarToken, AmpersandAmpersandToken, PlusToken } = ts.SyntaxKind;
  return [QuestionQuestionToken, BarBarToken, AmpersandAmpersandToken, PlusToken].includes(sign);
}

/** @param {ts.Node} up @param {ts.Node} child */
function isNoText(up, child) {
  return (
    ts.isImportDeclaration(up) ||
    ts.isExportDeclaration(up) ||
    ts.isLiteralTypeNode(up) ||
    ts.isTaggedTemplateExpression(up) ||
    ts.isCaseClause(up) ||
    (ts.isElementAccessExpression(up) && up.argumentExpression === child) ||
    (ts.isPropertyAccessExpression(up) && up.expression === child)
  );
}

/**
 * @param {ts.CallExpression | ts.NewExpression} call
 * @param {ts.Node} child
 * @param {string | null} property
 */
function inCall(call, child, property) {
  const given = call.arguments ?? ts.factory.createNodeArray();
  const index = given.findIndex((one) => one === child);
  if (index < 0) return null;
  const { expression } = call;
  const callee = ts.isPropertyAccessExpression(expression)
    ? expression.name.text
    : expression.getText();
  const [first] = given;
  const name = first !== undefined && ts.isStringLiteral(first) ? first.text : null;
  if (callee === 'setAttribute') {
    const shown = index === 1 && name !== null && SHOWN.has(name) ? name : null;
    return { property: shown, callee, index, element: null };
  }
  return { property, callee, index, element: callee === 'el' && index > 0 ? name : null };
}

/** @param {string} source @returns {Found[]} */
function textsInHtml(source) {
  const blank = (/** @type {string} */ text) => text.replaceAll(/[^\n]/g, ' ');
  const shown = source.replaceAll(/<!--[^]*?-->|<script[^]*?<\/script>/g, blank);
  const lineAt = (/** @type {number} */ at) => shown.slice(0, at).split('\n').length;
  /** @type {Found[]} */
  const found = [];
  const add = (/** @type {string} */ given, /** @type {number} */ at, /** @type {Kind} */ kind) => {
    const text = given.replaceAll(/\s+/g, ' ').trim();
    if (/\p{L}{2}/u.test(text) && !/^\{\w+\}$/.test(text))
      found.push({ text, kind, line: lineAt(at) });
  };
  for (const { index, 1: tag = '', 2: text = '' } of shown.matchAll(/<(\/?\w+)[^>]*>([^<]+)/g)) {
    const kind = tag === 'button' ? 'button' : /^(?:h\d|th)$/.test(tag) ? 'heading' : 'text';
    add(text, index, kind);
  }
  const attributes = /\s(?:aria-label|title|placeholder|alt)="([^"]+)"/g;
  for (const { index, 1: text = '' } of shown.matchAll(attributes)) add(text, index, 'text');
  return found;
}
