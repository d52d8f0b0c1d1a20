import { XMLParser } from 'fast-xml-parser';
import { encodeUriComponentAws } from '../../src/lib/uri.js';
import { UpstreamError } from '../swift/errors.js';

/** An element: its text, or its children by name. */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  // A listing has more of them than the parser's own bound: `unescaped` decodes those of S3.
  processEntities: false,
});

/** The root element of a document, whatever its name. @throws UpstreamError when it is none */
export function parseXml(text: string): XmlNode {
  try {
    const document = parser.parse(text) as Record<string, XmlNode>;
    const [root] = Object.values(document);
    if (root !== undefined) return root;
  } catch {
    // It is no XML: said below.
  }
  throw new UpstreamError('invalid');
}

/** The children of a name, also where there is one or none. */
export function children(node: XmlNode, name: string): readonly XmlNode[] {
  if (typeof node === 'string') return [];
  const found = node[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly XmlNode[]) : [found as XmlNode];
}

/** The text of a child; empty where there is none. */
export function textIn(node: XmlNode, name: string): string {
  const [child] = children(node, name);
  return typeof child === 'string' ? unescaped(child) : '';
}

const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function unescaped(text: string): string {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (all, ...found) => {
      const [name, decimal, hex] = found as (string | undefined)[];
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

/** A key of a listing with `encoding-type=url`, in which some servers write a blank as `+`. */
export function keyIn(node: XmlNode, name: string): string {
  const text = textIn(node, name);
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"'\r\n\t]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** `bucket/key?versionId=…` as `x-amz-copy-source` takes it. */
export function copySource(bucket: string, key: string, versionId?: string): string {
  const place = `${bucket}/${key}`.split('/').map(encodeUriComponentAws).join('/');
  return versionId === undefined ? place : `${place}?versionId=${encodeUriComponentAws(versionId)}`;
}
