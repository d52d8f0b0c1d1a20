/**
 * Names inside an archive that no unpacker follows out of its folder, and that no two entries
 * share, not even where case does not count.
 */
export class ZipNames {
  readonly #taken = new Set<string>();
  /** Entries whose names differ from their objects'. */
  readonly changed: Record<string, string> = {};

  nameFor(object: string): string {
    const clean = object
      .split('/')
      .filter((part) => part !== '')
      .map((part) => (part === '..' ? '_dot_dot_' : part === '.' ? '_dot_' : part))
      .join('/')
      // eslint-disable-next-line no-control-regex -- control characters are what it is about
      .replace(/[\u0000-\u001f\u007f\\:]/g, '_');
    const base = clean === '' ? '_' : clean;
    let name = base;
    for (let i = 2; this.#taken.has(name.toLowerCase()); i++) name = numbered(base, i);
    this.#taken.add(name.toLowerCase());
    if (name !== object) this.changed[name] = object;
    return name;
  }
}

/** `a/b.txt` becomes `a/b (2).txt`. */
function numbered(name: string, i: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= name.lastIndexOf('/') + 1
    ? `${name} (${i})`
    : `${name.slice(0, dot)} (${i})${name.slice(dot)}`;
}
