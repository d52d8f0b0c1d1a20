import path from 'node:path';

/**
 * Python's ConfigParser as Swift uses it, so that a file means here what it means there: comments
 * on lines of their own, continuation lines, `[DEFAULT]`, `%(name)s`.
 * https://docs.python.org/3/library/configparser.html#supported-ini-file-structure
 */

interface IniOption {
  readonly value: string;
  /** The line where it begins, from 1. */
  readonly line: number;
}

export type IniSection = ReadonlyMap<string, IniOption>;

export interface IniFile {
  /** The options of `[DEFAULT]`, which apply to every section. */
  readonly defaults: IniSection;
  /** The sections, in the file's order. */
  readonly sections: ReadonlyMap<string, IniSection>;
}

/** A line that Python would refuse; nothing of its text is in it, since it may be a secret. */
interface IniProblem {
  readonly line: number;
  /** Worded to follow "expected". */
  readonly expected: string;
}

type IniResult =
  | { readonly ok: true; readonly file: IniFile }
  | { readonly ok: false; readonly problems: readonly IniProblem[] };

const DEFAULT_SECTION = 'DEFAULT';
const COMMENT = /^[#;]/;
const HEADER = /^\[(.+)\]/s;
/** The first of either parts name and value. */
const OPTION = /^(.*?)\s*[=:]\s*(.*)$/s;

export function parseIni(text: string): IniResult {
  const parser = new IniParser();
  text.split(/\r\n|\r|\n/).forEach((line, index) => {
    parser.read(line, index + 1);
  });
  return parser.end();
}

interface OpenOption {
  readonly line: number;
  readonly values: string[];
}

class IniParser {
  readonly #defaults = new Map<string, OpenOption>();
  readonly #sections = new Map<string, Map<string, OpenOption>>();
  readonly #problems: IniProblem[] = [];
  #section: Map<string, OpenOption> | undefined;
  #option: OpenOption | undefined;
  #indent = 0;

  read(line: string, number: number): void {
    const text = line.trim();
    if (COMMENT.test(text)) return;
    if (text === '') {
      this.#option?.values.push('');
      return;
    }
    const indent = line.search(/\S/);
    if (this.#option !== undefined && indent > this.#indent) {
      this.#option.values.push(text);
      return;
    }
    this.#indent = indent;
    const header = HEADER.exec(text)?.[1];
    if (header === undefined) this.#readOption(text, number);
    else this.#open(header, number);
  }

  end(): IniResult {
    if (this.#problems.length > 0) return { ok: false, problems: this.#problems };
    const sections = new Map(
      [...this.#sections].map(([name, options]) => [name, closed(options)] as const),
    );
    return { ok: true, file: { defaults: closed(this.#defaults), sections } };
  }

  #open(name: string, line: number): void {
    this.#option = undefined;
    if (name === DEFAULT_SECTION) {
      this.#section = this.#defaults;
      return;
    }
    if (this.#sections.has(name)) this.#refuse(line, `each section once; [${name}] is there twice`);
    this.#section = new Map();
    this.#sections.set(name, this.#section);
  }

  #readOption(text: string, line: number): void {
    const [, name = '', value = ''] = OPTION.exec(text) ?? [];
    this.#option = undefined;
    if (this.#section === undefined) {
      this.#refuse(line, 'a section, such as [DEFAULT], in front of all options');
    } else if (name === '') {
      this.#refuse(line, 'a section, or an option as NAME = VALUE');
    } else {
      if (this.#section.has(name)) this.#refuse(line, 'each option once in a section');
      this.#option = { line, values: [value] };
      this.#section.set(name, this.#option);
    }
  }

  #refuse(line: number, expected: string): void {
    this.#problems.push({ line, expected });
  }
}

function closed(options: ReadonlyMap<string, OpenOption>): IniSection {
  return new Map(
    [...options].map(([name, { line, values }]) => [
      name,
      { line, value: values.join('\n').trimEnd() },
    ]),
  );
}

/** The depth of interpolation that Python allows. */
const DEPTH_MAX = 10;

/**
 * Replaces each `%(name)s` by that option, and `%%` by `%`; but a value without any `%(` stays as it
 * is, `%%` and all (Swift's NicerInterpolation).
 *
 * @param valueOf - gives an option by its name
 * @returns undefined where Python refuses the value
 */
export function interpolate(
  value: string,
  valueOf: (name: string) => string | undefined,
): string | undefined {
  return value.includes('%(') ? interpolateSome(value, valueOf, 1) : value;
}

/**
 * The same with Python's own rules (BasicInterpolation), in which each `%` has to be `%%` or
 * `%(name)s`: those of swift.conf.
 *
 * @param valueOf - gives an option by its name
 * @returns undefined where Python refuses the value
 */
export function interpolateStrictly(
  value: string,
  valueOf: (name: string) => string | undefined,
): string | undefined {
  return interpolateSome(value, valueOf, 1);
}

const REFERENCE = /^%\(([^)]+)\)s/;

function interpolateSome(
  value: string,
  valueOf: (name: string) => string | undefined,
  depth: number,
): string | undefined {
  if (depth > DEPTH_MAX) return undefined;
  let result = '';
  let rest = value;
  while (rest !== '') {
    const percent = rest.indexOf('%');
    if (percent === -1) return result + rest;
    result += rest.slice(0, percent);
    rest = rest.slice(percent);
    if (rest.startsWith('%%')) {
      result += '%';
      rest = rest.slice(2);
      continue;
    }
    const [reference, name] = REFERENCE.exec(rest) ?? [];
    const found = name === undefined ? undefined : valueOf(name);
    if (reference === undefined || found === undefined) return undefined;
    const inner = found.includes('%') ? interpolateSome(found, valueOf, depth + 1) : found;
    if (inner === undefined) return undefined;
    result += inner;
    rest = rest.slice(reference.length);
  }
  return result;
}

interface PasteSection {
  readonly options: IniSection;
  /** Lines of options whose `%` Python refuses. */
  readonly broken: readonly number[];
}

/**
 * The options that a factory of paste.deploy is called with: those of `[DEFAULT]`, then the
 * section's. An option of both is that of `[DEFAULT]`, unless the section says `set name = value`;
 * `get name = other` takes an option of `[DEFAULT]` under another name.
 * https://docs.pylonsproject.org/projects/pastedeploy/en/latest/#global-configuration
 *
 * @param name - of a section that is there, e.g. `filter:tempauth`
 * @param file - path of the file, for `%(here)s` and `%(__file__)s`
 */
export function pasteSection(ini: IniFile, name: string, file: string): PasteSection {
  const section = ini.sections.get(name) ?? new Map<string, IniOption>();
  const absolute = path.resolve(file);
  const builtIn = new Map([
    ['here', path.dirname(absolute)],
    ['__file__', absolute],
  ]);
  const valueOf = (option: string): string | undefined =>
    (section.get(option) ?? ini.defaults.get(option))?.value ?? builtIn.get(option);
  const defaultOf = (option: string): string | undefined =>
    ini.defaults.get(option)?.value ?? builtIn.get(option);

  const globals = new Map<string, IniOption>();
  const locals = new Map<string, IniOption>();
  const broken: number[] = [];
  const put = (
    into: Map<string, IniOption>,
    option: string,
    { value, line }: IniOption,
    lookUp: (option: string) => string | undefined,
  ): void => {
    const whole = interpolate(value, lookUp);
    if (whole === undefined) broken.push(line);
    else into.set(option, { value: whole, line });
  };

  for (const [option, given] of ini.defaults) put(globals, option, given, defaultOf);
  const taken: [string, IniOption][] = [];
  // The options of [DEFAULT] also apply to the section, unless it overrides them.
  for (const [option, given] of new Map([...ini.defaults, ...section])) {
    if (option.startsWith('set ')) put(globals, option.slice(4).trim(), given, valueOf);
    else if (option.startsWith('get ')) taken.push([option.slice(4).trim(), given]);
    else if (!ini.defaults.has(option)) put(locals, option, given, valueOf);
  }
  for (const [option, { value, line }] of taken) {
    const other = globals.get(value);
    if (other === undefined) broken.push(line);
    else locals.set(option, { value: other.value, line });
  }
  return { options: new Map([...globals, ...locals]), broken };
}
