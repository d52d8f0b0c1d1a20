/**
 * Bodies as they are compared: documents without what differs from answer to answer, and from one
 * renderer to another.
 */

/** Larger documents are compared as they are: taking one apart may not hold up the console. */
const DOCUMENT_LENGTH_MAX = 64 * 1024;
/** Times, and ids that a side draws or makes up by itself. */
const OWN =
  /^(?:last_modified|LastModified|UploadId|CreationDate|Initiated|NextContinuationToken|ContinuationToken|NextUploadIdMarker|RequestId|HostId)$/;
/** The name is taken as a whole: a tag without end would be tried with each shorter name otherwise. */
const TOKEN = /<!--[^]*?-->|<\?[^]*?\?>|<(\/?)(?=([^\s/>]+))\2([^>]*?)(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

/** Plain text of what XML has between its tags. */
export function unescapeXml(text: string): string {
  return text.replace(
    /&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** @param type - of the content */
export function canonicalBody(body: Buffer, type: string): string {
  const [, boundary] = /boundary="?([^";]+)/.exec(type) ?? [];
  const whole = body.toString('latin1');
  const text = boundary === undefined ? whole : whole.replaceAll(boundary, 'boundary');
  const isXml = type.includes('xml') || text.startsWith('<?xml');
  if (text.length > DOCUMENT_LENGTH_MAX || !(isXml || type.includes('json'))) return text;
  if (!isXml) return text.replace(/"last_modified": ?"[^"]*"/g, '').trim();
  return canonicalXml(text) ?? text;
}

interface Element {
  readonly name: string;
  readonly attributes: string;
  text: string;
  readonly children: Element[];
}

/**
 * Elements of one name stay in their order, as those of a listing; which name comes first says
 * nothing, nor does one that is empty.
 * @returns undefined for what is no XML
 */
function canonicalXml(text: string): string | undefined {
  const root: Element = { name: '', attributes: '', text: '', children: [] };
  const open = [root];
  TOKEN.lastIndex = 0;
  let at = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    at = TOKEN.lastIndex;
    const [, closing, name, rest = '', single, between] = token;
    const parent = open.at(-1);
    if (parent === undefined) return undefined;
    if (between !== undefined) parent.text += unescapeXml(between);
    if (name === undefined) continue;
    if (closing === '/') {
      if (open.pop()?.name !== name) return undefined;
      continue;
    }
    const element = { name, attributes: attributesOf(rest), text: '', children: [] };
    parent.children.push(element);
    if (single !== '/') open.push(element);
  }
  return at === text.length && open.length === 1 ? root.children.map(render).join('') : undefined;
}

function attributesOf(text: string): string {
  return [...text.matchAll(ATTRIBUTE)]
    .map(([, name = '', double, single]) => ` ${name}="${unescapeXml(double ?? single ?? '')}"`)
    .sort()
    .join('');
}

function render({ name, attributes, text, children }: Element): string {
  const inner = children
    .filter((one) => !OWN.test(one.name) && !isEmpty(one))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(render)
    .join('');
  // Between elements there are blanks for people alone.
  return `<${name}${attributes}>${children.length > 0 ? text.trim() : text}${inner}</${name}>`;
}

function isEmpty({ text, children, attributes }: Element): boolean {
  return children.length === 0 && text === '' && attributes === '';
}
