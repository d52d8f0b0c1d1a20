import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { S3Error } from '../errors.js';
import { requireBytes, type XmlBounds } from './bounds.js';
import { REQUEST_NAMESPACES } from './namespace.js';
import { decodeReferences } from './references.js';
import { isAcceptableXml } from './scan.js';

/** An element of a request's body: of S3's namespace, or of none. */
export interface XmlElement {
  /** The name without prefix. */
  readonly name: string;
  /** The attributes without prefixes: `xsi:type` is `type`; without declarations of namespaces. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly within, white space kept. */
  readonly text: string;
}

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';

/** The nodes of the parser with `preserveOrder`: one property, named as the element, and `:@`. */
type ParsedNode = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  ignoreDeclaration: true,
  cdataPropName: CDATA,
  // Keys may begin or end with white space, and look like numbers.
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  // Decoded by ourselves: only the five of XML and characters by number.
  processEntities: false,
});

/**
 * Parses a body whose root element is `root`.
 *
 * @throws S3Error `MalformedXML` for what is not well-formed UTF-8 XML, has a document type,
 *   entities or processing instructions, elements of another namespace than S3's, another root, or
 *   more of anything than its bounds allow; `MaxMessageLengthExceeded` for too many bytes
 */
export function parseXml(body: Buffer, root: string, bounds: XmlBounds): XmlElement {
  requireBytes(body, bounds);
  const element = parseDocument(body, bounds);
  if (element?.name !== root) throw new S3Error('MalformedXML');
  return element;
}

/** The only child of that name. @throws S3Error `MalformedXML` when there are several */
export function optionalChild(parent: XmlElement, name: string): XmlElement | undefined {
  const found = parent.children.filter((child) => child.name === name);
  if (found.length > 1) throw new S3Error('MalformedXML');
  return found[0];
}

/**
 * Text of the only child of that name, white space kept.
 * @throws S3Error `MalformedXML` when there are several, or when it has children of its own: what
 *   is left of its text then is not what was meant
 */
export function optionalChildText(parent: XmlElement, name: string): string | undefined {
  const child = optionalChild(parent, name);
  if (child !== undefined && child.children.length > 0) throw new S3Error('MalformedXML');
  return child?.text;
}

/** Like {@link optionalChildText}, but the child is required. */
export function requiredChildText(parent: XmlElement, name: string): string {
  const text = optionalChildText(parent, name);
  if (text === undefined) throw new S3Error('MalformedXML');
  return text;
}

function parseDocument(body: Buffer, bounds: XmlBounds): XmlElement | undefined {
  try {
    const text = utf8.decode(body);
    if (!isAcceptableXml(text, bounds)) return undefined;
    // oxlint-disable-next-line typescript/no-deprecated -- its successor is a package of its own, with the same code
    if (XMLValidator.validate(text) !== true) return undefined;
    const nodes = parser.parse(text) as readonly ParsedNode[];
    const roots = nodes.filter((node) => elementName(node) !== TEXT);
    return roots.length === 1 && roots[0] !== undefined
      ? toElement(roots[0], NO_NAMESPACES)
      : undefined;
  } catch (error) {
    // The parser's own errors have no codes. In any case, the body is not one that we read.
    throw new S3Error('MalformedXML', undefined, {}, { cause: error });
  }
}

function toElement(node: ParsedNode, outer: Namespaces): XmlElement {
  const qualified = elementName(node);
  const attributes = attributesOf(node);
  const namespaces = withDeclared(attributes, outer);
  const [prefix, name] = splitName(qualified);
  if (!REQUEST_NAMESPACES.has(namespaces.get(prefix) ?? UNDECLARED)) {
    throw new Error(`<${qualified}> is of another namespace`);
  }
  let text = '';
  const children: XmlElement[] = [];
  for (const child of node[qualified] as readonly ParsedNode[]) {
    if (TEXT in child) text += decodeReferences(asText(child[TEXT]));
    else if (CDATA in child) text += cdataText(child);
    else children.push(toElement(child, namespaces));
  }
  return { name, attributes: localNames(attributes), children, text };
}

/** Namespaces by prefix; the default one has the prefix ''. */
type Namespaces = ReadonlyMap<string, string>;

const NO_NAMESPACES: Namespaces = new Map([['', '']]);
/** The namespace of an undeclared prefix, which no element of S3 has. */
const UNDECLARED = 'urn:undeclared';
const DECLARATION = 'xmlns';

function withDeclared(attributes: ReadonlyMap<string, string>, outer: Namespaces): Namespaces {
  let namespaces: Map<string, string> | undefined;
  for (const [qualified, value] of attributes) {
    const [prefix, name] = splitName(qualified);
    const declares = prefix === DECLARATION ? name : qualified === DECLARATION ? '' : undefined;
    if (declares !== undefined) (namespaces ??= new Map(outer)).set(declares, value);
  }
  return namespaces ?? outer;
}

function localNames(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (attributes.size === 0) return attributes;
  const named = new Map<string, string>();
  for (const [qualified, value] of attributes) {
    const [prefix, name] = splitName(qualified);
    if (prefix !== DECLARATION && qualified !== DECLARATION) named.set(name, value);
  }
  return named;
}

function splitName(qualified: string): readonly [prefix: string, name: string] {
  const colon = qualified.indexOf(':');
  return [colon === -1 ? '' : qualified.slice(0, colon), qualified.slice(colon + 1)];
}

function cdataText(node: ParsedNode): string {
  const [content] = node[CDATA] as readonly ParsedNode[];
  return asText(content?.[TEXT]);
}

function attributesOf(node: ParsedNode): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [name, value] of Object.entries((node[ATTRIBUTES] ?? {}) as ParsedNode)) {
    attributes.set(name, decodeReferences(asText(value)));
  }
  return attributes;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function elementName(node: ParsedNode): string {
  for (const name in node) {
    if (name !== ATTRIBUTES) return name;
  }
  throw new Error('a node without a name');
}
