import {
  pasteSection,
  parseIni,
  type IniFile,
  type IniSection,
} from '../../../src/config/python-config.js';
import { ConfigError } from '../../../src/config/problem.js';
import {
  isStorageUrl,
  isTempauthUser,
  parseTempauth,
  tempauthNames,
  tempauthSection,
} from '../../../src/config/tempauth.js';
import { ApiError } from '../../server/api-error.js';

/** A user as a proxy's configuration has it. */
export interface ConfUser {
  readonly account: string;
  readonly user: string;
  readonly key: string;
  readonly groups: readonly string[];
  /** The storage URL behind the groups, where the user has another one; empty for none. */
  readonly storageUrl: string;
  readonly option: string;
  /** The line, from 1. */
  readonly line: number;
  /** Why the line must be changed by hand; empty when it need not. */
  readonly byHand: string;
}

/** A proxy's configuration, as far as users go. */
export interface ConfFile {
  readonly users: readonly ConfUser[];
  /** The other options of the section: nodes have to agree in them. */
  readonly settings: ReadonlyMap<string, string>;
  /** It is one that a proxy starts with, and not a list of users alone. */
  readonly hasPipeline: boolean;
}

/** Stands for the path of the file in what it says of itself, which is not asked for. */
const PLACE = '/proxy.conf';
const PIPELINE = 'pipeline:main';

/**
 * @throws ApiError unsupported_here when users are not kept there; unprocessable when the file
 *   cannot be understood
 */
export function readConf(text: string): ConfFile {
  const parsed = parseIni(text);
  if (!parsed.ok) {
    throw notUnderstood(parsed.problems.map(({ line }) => line));
  }
  const section = sectionOf(parsed.file);
  const options = pasteSection(parsed.file, section, PLACE);
  if (options.broken.length > 0) throw notUnderstood(options.broken);
  try {
    parseTempauth(text, PLACE);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw notUnderstood(error.message.match(/(?<=line )\d+/g)?.map(Number) ?? []);
  }
  const raw = parsed.file.sections.get(section);
  const users: ConfUser[] = [];
  const settings = new Map<string, string>();
  for (const [option, { value, line }] of options.options) {
    const names = isTempauthUser(option) ? tempauthNames(option) : '';
    if (typeof names === 'string') settings.set(option, value);
    else users.push({ ...names, ...partsOf(value), option, line, byHand: byHand(option, raw) });
  }
  return { users, settings, hasPipeline: parsed.file.sections.has(PIPELINE) };
}

/** @throws ApiError unsupported_here when the proxy does not go by such a section */
function sectionOf(file: IniFile): string {
  let section: string;
  try {
    section = tempauthSection(file, PLACE);
  } catch (error) {
    if (error instanceof ConfigError) throw unsupported();
    throw error;
  }
  const pipeline = file.sections.get(PIPELINE)?.get('pipeline')?.value.split(/\s+/);
  if (pipeline?.includes(section.replace(/^filter:/, '')) === false) throw unsupported();
  return section;
}

function partsOf(value: string): Pick<ConfUser, 'key' | 'groups' | 'storageUrl'> {
  const [key = '', ...groups] = value.split(/\s+/).filter((word) => word !== '');
  const last = groups.at(-1) ?? '';
  const storageUrl = isStorageUrl(last) ? last : '';
  return { key, groups: storageUrl === '' ? groups : groups.slice(0, -1), storageUrl };
}

/** The reason why an editor of single lines must leave an entry alone; empty for none. */
function byHand(option: string, section: IniSection | undefined): string {
  const raw = section?.get(option)?.value;
  if (raw === undefined) return 'the user is defined outside the section with the other users';
  if (raw.includes('\n')) return 'the entry of the user spans several lines';
  if (raw.includes('%(')) return 'the entry of the user refers to other options';
  return '';
}

function unsupported(): ApiError {
  return new ApiError('unsupported_here', 'Users are not stored in the proxy configuration.', {
    needs: 'proxies that keep their users in their own configuration',
  });
}

function notUnderstood(lines: readonly number[]): ApiError {
  return new ApiError('unprocessable', 'The configuration of a proxy could not be parsed.', {
    lines: [...new Set(lines)],
  });
}
