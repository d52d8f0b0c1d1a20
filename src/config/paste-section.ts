import path from 'node:path';
import { interpolate, type IniFile } from './python-config.js';

export interface PasteOption {
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

export interface PasteSection {
  readonly options: ReadonlyMap<string, PasteOption>;
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
  const section = ini.sections.get(name) ?? new Map<string, PasteOption>();
  const absolute = path.resolve(file);
  const builtIn = new Map([
    ['here', path.dirname(absolute)],
    ['__file__', absolute],
  ]);
  const valueOf = (option: string): string | undefined =>
    (section.get(option) ?? ini.defaults.get(option))?.value ?? builtIn.get(option);
  const defaultOf = (option: string): string | undefined =>
    ini.defaults.get(option)?.value ?? builtIn.get(option);

  const globals = new Map<string, PasteOption>();
  const locals = new Map<string, PasteOption>();
  const broken: number[] = [];
  const put = (
    into: Map<string, PasteOption>,
    option: string,
    { value, line }: PasteOption,
    lookUp: (option: string) => string | undefined,
  ): void => {
    const whole = interpolate(value, lookUp);
    if (whole === undefined) broken.push(line);
    else into.set(option, { value: whole, line });
  };

  for (const [option, given] of ini.defaults) put(globals, option, given, defaultOf);
  const taken: [string, PasteOption][] = [];
  // Those of [DEFAULT] are options of the section, too, where it has no others.
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
