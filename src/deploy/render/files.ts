/** How a file has its secrets: none, or in the place of marks, escaped for Python's parser or as they are. */
export type SecretMarks = 'none' | 'ini' | 'raw';

/** A file of a node, without its secrets. */
export interface NodeFile {
  /** Below the node's root, such as `etc/swift/swift.conf`. */
  readonly path: string;
  readonly mode: number;
  readonly secrets: SecretMarks;
  readonly content: Buffer;
}

const OPEN_TO_READ = 0o644;
const SECRET = 0o640;

export function plainFile(path: string, text: string | Buffer): NodeFile {
  return { path, mode: OPEN_TO_READ, secrets: 'none', content: Buffer.from(text) };
}

/** A configuration with marks of {@link secretMark}. */
export function iniWithSecrets(path: string, text: string): NodeFile {
  return { path, mode: SECRET, secrets: 'ini', content: Buffer.from(text) };
}

/** A file that is a secret and nothing else. */
export function secretFile(path: string, ref: string, mode = SECRET): NodeFile {
  return { path, mode, secrets: 'raw', content: Buffer.from(`${secretMark(ref)}\n`) };
}

/** The mark in the place of a secret wherever a file is kept or shown. */
export function secretMark(ref: string): string {
  return `{{secret ${ref}}}`;
}

const MARK = /\{\{secret ([A-Za-z0-9._-]+)\}\}/g;

/** The names of the secrets that a file needs. */
export function secretsOf({ secrets, content }: Pick<NodeFile, 'secrets' | 'content'>): string[] {
  if (secrets === 'none') return [];
  return [...content.toString('utf8').matchAll(MARK)].map(([, ref]) => ref ?? '');
}

/**
 * The file as a node gets it.
 *
 * @param secretOf - the secret by its name
 */
export function withSecrets(
  { secrets, content }: Pick<NodeFile, 'secrets' | 'content'>,
  secretOf: (ref: string) => string,
): Buffer {
  if (secrets === 'none') return content;
  const text = content.toString('utf8').replace(MARK, (_mark, ref: string) => {
    const secret = secretOf(ref);
    // Python's ConfigParser and paste replace what stands behind a "%".
    return secrets === 'ini' ? secret.replaceAll('%', '%%') : secret;
  });
  return Buffer.from(text);
}

export type Option = boolean | number | string;

/**
 * A file as Swift and rsync read it. Sections without options stay, since daemons want theirs; the
 * section `''` is what stands before the first.
 */
export function renderIni(
  sections: Readonly<Record<string, Readonly<Record<string, Option | undefined>>>>,
): string {
  return Object.entries(sections)
    .map(([name, options]) => {
      const lines = Object.entries(options)
        .filter(([, value]) => value !== undefined)
        .map(([option, value]) => `${option} = ${String(value)}`);
      return [...(name === '' ? [] : [`[${name}]`]), ...lines, ''].join('\n');
    })
    .join('\n');
}
