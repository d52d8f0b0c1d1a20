import { createHash } from 'node:crypto';

/** Says what entries were called in the store, where that is not their name. */
export const NAMES_TABLE = '_names.json';

/** The bytes of a name that common file systems take. */
const PART_BYTES_MAX = 255;
/** The bytes kept of a longer name: there is room for a digest and a number. */
const PART_BYTES_KEPT = 200;

/**
 * Names of devices, also with an extension (learn.microsoft.com, Naming Files, Paths, and
 * Namespaces).
 */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * Names inside an archive that every unpacker can make files of, inside its folder: no two entries
 * share one, not even where case does not count, and none is a file and a folder at once.
 */
export class ZipNames {
  /** The names of files in lower case. */
  readonly #files = new Set([NAMES_TABLE]);
  readonly #folders = new Set<string>();
  /** Entries whose names differ from their objects'. */
  readonly changed: Record<string, string> = {};

  nameFor(object: string): string {
    const parts = object.split('/').filter((part) => part !== '');
    const file = cleanPart(parts.pop() ?? '');
    let folder = '';
    for (const part of parts) {
      folder = free(`${folder}${cleanPart(part)}`, (path) => this.#files.has(path)) + '/';
      this.#folders.add(folder.slice(0, -1).toLowerCase());
    }
    const isTaken = (path: string) => this.#files.has(path) || this.#folders.has(path);
    const name = free(folder + file, isTaken);
    this.#files.add(name.toLowerCase());
    if (name !== object) this.changed[name] = object;
    return name;
  }
}

function cleanPart(part: string): string {
  if (part === '') return '_';
  if (part === '.') return '_dot_';
  if (part === '..') return '_dot_dot_';
  const clean = part
    // oxlint-disable-next-line no-control-regex -- control characters are what it is about
    .replace(/[\u0000-\u001f\u007f\\:<>"|?*]/g, '_')
    // Windows drops blanks and dots at the end of a name, and takes some names for devices.
    .replace(/[ .]+$/, (end) => '_'.repeat(end.length))
    .replace(DEVICE, '_$&');
  return Buffer.byteLength(clean) <= PART_BYTES_MAX ? clean : shortened(clean);
}

function shortened(part: string): string {
  const digest = createHash('sha256').update(part).digest('hex').slice(0, 12);
  let kept = '';
  for (const character of part) {
    if (Buffer.byteLength(kept + character) > PART_BYTES_KEPT) break;
    kept += character;
  }
  return `${kept}~${digest}`;
}

/** @param isTaken asked in lower case */
function free(path: string, isTaken: (path: string) => boolean): string {
  let name = path;
  for (let i = 2; isTaken(name.toLowerCase()); i++) name = numbered(path, i);
  return name;
}

/** `a/b.txt` becomes `a/b (2).txt`. */
function numbered(name: string, i: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= name.lastIndexOf('/') + 1
    ? `${name} (${i})`
    : `${name.slice(0, dot)} (${i})${name.slice(dot)}`;
}
