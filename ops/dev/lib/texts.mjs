import { parseSync, visitorKeys } from 'oxc-parser';

/**
 * Collects the texts that the console shows, as gettext's extractor does: texts stay beside the code
 * that shows them. A string counts by where it stands (what `textContent` or a message is set to, a
 * child of an element) or, where that says nothing, by its look: several words, or a word with a
 * capital.
 */

/**
 * @typedef {'button' | 'heading' | 'text'} Kind what shows the text
 * @typedef {{ text: string, kind: Kind, line: number }} Found expressions in it are in braces
 * @typedef {import('oxc-parser').Node} Node
 * @typedef {{ source: string, ancestors: readonly Node[] }} Place nodes that a node is in, from the
 *   outermost on, and the text of the file
 */

/**
 * @param {string} file its name says how it is read
 * @param {string} source
 * @returns {Found[]}
 */
export function textsIn(file, source) {
  if (file.endsWith('.html')) return textsInHtml(source);
  const { program, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const isPage = file.startsWith('ui/') || /^surfaces\/.*\/page\//.test(file);
  const lineAt = linesOf(source);
  /** @type {Found[]} */
  const found = [];
  /** @type {Node[]} */
  const ancestors = [];
  const visit = (/** @type {Node} */ node) => {
    const text = textOf(node);
    if (text !== null && /\p{L}{2}/u.test(text) && !isPartOfText(node, ancestors)) {
      const kind = kindOf(node, text, isPage, { source, ancestors });
      if (kind !== null) found.push({ text, kind, line: lineAt(node.start) });
    }
    ancestors.push(node);
    for (const child of childrenOf(node)) visit(child);
    ancestors.pop();
  };
  visit(program);
  return found;
}

/** @param {Node} node @returns {Node[]} in the order of the source */
function childrenOf(node) {
  return (visitorKeys[node.type] ?? [])
    .flatMap((key) => /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (node))[key])
    .filter((child) => child !== null && child !== undefined)
    .map((child) => /** @type {Node} */ (child))
    .sort((a, b) => a.start - b.start);
}

/** @param {string} source @returns {(at: number) => number} the line of a place, from one on */
function linesOf(source) {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (at) => {
    const next = starts.findIndex((start) => start > at);
    return next < 0 ? starts.length : next;
  };
}

/**
 * A text with its expressions in braces: `Delete “{name}”`.
 *
 * @param {Node} node
 */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'TemplateLiteral') return null;
  const parts = node.quasis.map(({ value }, index) => {
    const expression = node.expressions[index];
    return `${value.cooked}${expression === undefined ? '' : `{${nameOf(expression)}}`}`;
  });
  return parts.join('');
}

/** @param {Node} expression @returns {string} */
function nameOf(expression) {
  if (expression.type === 'ChainExpression') return nameOf(expression.expression);
  if (expression.type === 'Identifier') return expression.name;
  if (expression.type === 'CallExpression' && expression.arguments[0] !== undefined)
    return nameOf(expression.arguments[0]);
  return propertyOf(expression) ?? '…';
}

/** The name after the dot. @param {Node} node */
function propertyOf(node) {
  if (node.type !== 'MemberExpression' || node.computed) return null;
  return node.property.type === 'PrivateIdentifier' ? `#${node.property.name}` : node.property.name;
}

/** The literals of a template are a part of the template. @param {Node} node @param {Node[]} ancestors */
function isPartOfText(node, ancestors) {
  const parent = ancestors.at(-1);
  return node.type === 'TemplateLiteral' && parent?.type === 'TemplateLiteral'
    ? /^[/#.]|https?:/.test(textOf(parent) ?? '')
    : false;
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
 * @param {Node} node a text
 * @param {string} text
 * @param {boolean} isPage whether browsers load the file: elsewhere, much is for logs
 * @param {Place} where
 * @returns {Kind | null} null where it is not shown
 */
function kindOf(node, text, isPage, where) {
  const place = placeOf(node, where);
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
 * @param {Node} node
 * @param {Place} where
 * @returns {{ property: string | null, callee: string | null, index: number, element: string | null } | null}
 */
function placeOf(node, { source, ancestors }) {
  let child = node;
  /** @type {string | null} */
  let property = null;
  for (const [at, up] of [...ancestors.entries()].reverse()) {
    if (up.type === 'Property' && ancestors[at - 1]?.type === 'ObjectExpression') {
      if (up.key === child) return null;
      property ??= up.computed ? null : textAt(up.key, source).replaceAll(/^['"]|['"]$/g, '');
    } else if (up.type === 'CallExpression' || up.type === 'NewExpression') {
      return inCall(up, child, property, source);
    } else if (up.type === 'AssignmentExpression') {
      if (up.operator !== '=' || up.left === child) return null;
      property ??= propertyOf(up.left);
      if (/\bdataset\b|\bstyle\b/.test(textAt(up.left, source))) return null;
      return { property, callee: null, index: 0, element: null };
    } else if (isNoText(up, child)) {
      return null;
    } else if (
      /Statement$|Declaration$|^VariableDeclarator$|^MethodDefinition$|Function/.test(up.type)
    ) {
      return { property, callee: null, index: 0, element: null };
    }
    child = up;
  }
  return null;
}

/** @param {Node} node @param {string} source */
function textAt(node, source) {
  return source.slice(node.start, node.end);
}

/** @param {Node} up @param {Node} child */
function isNoText(up, child) {
  switch (up.type) {
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportAllDeclaration':
    case 'SequenceExpression':
    case 'SwitchCase':
    case 'TaggedTemplateExpression':
    case 'TSLiteralType':
      return true;
    case 'BinaryExpression':
      return up.operator !== '+';
    case 'ExportNamedDeclaration':
      return up.source === child;
    case 'MemberExpression':
      return (up.computed ? up.property : up.object) === child;
    default:
      return false;
  }
}

/**
 * @param {Extract<Node, { type: 'CallExpression' | 'NewExpression' }>} call
 * @param {Node} child
 * @param {string | null} property
 * @param {string} source
 */
function inCall(call, child, property, source) {
  const index = call.arguments.findIndex((one) => one === child);
  if (index < 0) return null;
  const callee = propertyOf(call.callee) ?? textAt(call.callee, source);
  const [first] = call.arguments;
  const name = first?.type === 'Literal' && typeof first.value === 'string' ? first.value : null;
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
