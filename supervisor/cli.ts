import { parseArgs, type ParseArgsConfig } from 'node:util';
import { FLAG_OF_KEY } from '../src/config/load.js';
import type { ConfigKey } from '../src/config/schema.js';
import type {
  JanitorMode,
  JanitorOrder,
  RepairOrder,
} from '../src/processes/janitor-command-protocol.js';
import {
  STORE_ACTIONS,
  type StoreAction,
  type StoreOrder,
} from '../src/processes/store-command-protocol.js';
import { didYouMean } from '../src/config/suggest.js';
import { CONTROL_COMMANDS, type ControlCommand } from './control-protocol.js';

/** Values of configuration flags, by key. */
export type FlagValues = Readonly<Partial<Record<ConfigKey, unknown>>>;

/** A command that goes by the configuration of the service. */
export interface Configured {
  readonly configFile: string | undefined;
  readonly flags: FlagValues;
}

export type Command =
  | (Configured & { readonly name: 'start' })
  | (Configured & {
      readonly name: 'check';
      /** Show the effective configuration. */
      readonly print: boolean;
      /** Look at the proxies of the Swift cluster. */
      readonly cluster: boolean;
    })
  | (Configured & JanitorOrder & { readonly name: 'janitor' })
  | (Configured & RepairOrder & { readonly name: 'repair' })
  | (Configured & StoreOrder & { readonly name: 'store' })
  | (Configured & {
      readonly name: ControlCommand;
      /** Undefined where none is given. */
      readonly timeoutMs: number | undefined;
    })
  | {
      readonly name: 'capsule';
      /** The capsule to verify. */
      readonly file: string;
      /** A folder of public keys that are trusted; undefined: whose key it is stays open. */
      readonly trustedKeys: string | undefined;
    }
  /** The control service, whose configuration file is another one. */
  | {
      readonly name: 'deploy';
      readonly configFile: string;
      /** An exported state to begin with, instead of serving. */
      readonly importFile: string | undefined;
    }
  | { readonly name: 'version' }
  | { readonly name: 'help' };

/** Thrown with one line a mistake: what was given and what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const COMMANDS = [
  'start',
  'check',
  ...CONTROL_COMMANDS,
  'janitor',
  'repair',
  'store',
  'capsule',
  'deploy',
  'version',
  'help',
] as const;
type CommandName = (typeof COMMANDS)[number];

const CONFIG_FLAGS = ['config', ...Object.values(FLAG_OF_KEY).map((flag) => flag.slice(2))];

/** The modes of `janitor`: exactly one of these flags says which. */
const JANITOR_MODES = ['dry-run', 'once'] as const satisfies readonly JanitorMode[];

/** The flags of `repair`; only the bucket has to be named. */
const REPAIR_FLAGS = ['bucket', 'key', 'account'] as const;

const TRUSTED_KEYS = 'trusted-keys';

const CONTROL_FLAGS = [...CONFIG_FLAGS, 'timeout-ms'];

/** Flags that each command knows; `--help` goes with all. */
const FLAGS_OF: Readonly<Record<CommandName, readonly string[]>> = {
  start: CONFIG_FLAGS,
  check: [...CONFIG_FLAGS, 'print', 'cluster'],
  reload: CONTROL_FLAGS,
  drain: CONTROL_FLAGS,
  'wait-ready': CONTROL_FLAGS,
  janitor: [...CONFIG_FLAGS, ...JANITOR_MODES],
  repair: [...CONFIG_FLAGS, ...REPAIR_FLAGS, 'dry-run'],
  store: CONFIG_FLAGS,
  capsule: [TRUSTED_KEYS],
  deploy: ['config', 'import'],
  version: [],
  help: [],
};

const SWITCHES: ReadonlySet<string> = new Set(['print', 'cluster', 'help', ...JANITOR_MODES]);

const OPTIONS = Object.fromEntries(
  [...CONTROL_FLAGS, ...REPAIR_FLAGS, TRUSTED_KEYS, 'import', ...SWITCHES].map((name) => [
    name,
    { type: SWITCHES.has(name) ? 'boolean' : 'string', multiple: false },
  ]),
) as NonNullable<ParseArgsConfig['options']>;

/**
 * @param args - the command line behind the program's name
 * @throws UsageError with every mistake
 */
export function parseCommandLine(args: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const problems: string[] = [];
  const words: string[] = [];
  const values = new Map<string, string | true>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    else if (token.kind === 'option')
      problems.push(...readFlag(token.rawName, token.name, token.value, values));
  }
  const isHelpAlone = words.length === 0 && values.has('help');
  const { name, operands } = isHelpAlone
    ? { name: 'help' as const, operands: [] }
    : commandName(words, problems);
  if (name !== undefined)
    problems.push(
      ...foreignFlags(name, values),
      ...modeProblems(name, values),
      ...bucketProblems(name, values),
      ...timeoutProblems(values),
      ...deployProblems(name, values),
      ...capsuleProblems(name, operands, values),
      ...storeProblems(name, operands, values),
    );
  if (problems.length > 0 || name === undefined) throw new UsageError(problems);
  return toCommand(values.has('help') ? 'help' : name, values, operands);
}

/** @returns what is wrong with this flag; else it is in `values` */
function readFlag(
  rawName: string,
  name: string,
  value: string | undefined,
  values: Map<string, string | true>,
): string[] {
  if (!rawName.startsWith('--') || !(name in OPTIONS)) {
    const known = Object.keys(OPTIONS).map((option) => `--${option}`);
    const given = value === undefined ? rawName : `${rawName} ${value}`;
    return [`got ${given}, expected a known flag${didYouMean(rawName, known)}`];
  }
  if (values.has(name)) return [`got ${rawName} twice, expected it once`];
  if (SWITCHES.has(name)) {
    if (value !== undefined) return [`${rawName}: got "${value}", expected no value`];
    values.set(name, true);
    return [];
  }
  // A flag behind a flag: the value was forgotten.
  if (value === undefined || value.startsWith('--')) {
    return [`${rawName}: got ${value ?? 'nothing'}, expected a value`];
  }
  values.set(name, value);
  return [];
}

/**
 * `npm start -- check` arrives as `start check`: the script's own word comes first, and the one
 * that the user typed last.
 */
function commandName(
  words: readonly string[],
  problems: string[],
): { readonly name: CommandName | undefined; readonly operands: readonly string[] } {
  const isFromNpm = words[0] === 'start' && words.length > 1 && problems.length === 0;
  const typed = isFromNpm ? words.slice(1) : words;
  const [word, ...rest] = typed;
  if (word === undefined) {
    problems.push(`got no command, expected one of ${COMMANDS.join(', ')}`);
    return { name: undefined, operands: [] };
  }
  // After a wrong flag, a further word may be its value, so it is not reported.
  if (problems.length === 0 && word !== 'capsule' && word !== 'store') {
    for (const extra of rest) problems.push(`got ${extra}, expected nothing behind ${word}`);
  }
  const name = COMMANDS.find((command) => command === word);
  if (name === undefined) {
    const expected = `one of ${COMMANDS.join(', ')}${didYouMean(word, COMMANDS)}`;
    problems.push(`got command ${word}, expected ${expected}`);
  }
  return { name, operands: rest };
}

function foreignFlags(name: CommandName, values: ReadonlyMap<string, unknown>): string[] {
  return [...values.keys()]
    .filter((flag) => flag !== 'help' && !FLAGS_OF[name].includes(flag))
    .map((flag) => `got --${flag}, which ${name} does not know`);
}

function modeProblems(name: CommandName, values: ReadonlyMap<string, unknown>): string[] {
  if (name !== 'janitor' || values.has('help')) return [];
  const given = JANITOR_MODES.filter((mode) => values.has(mode));
  if (given.length === 1) return [];
  return [`got ${given.length === 0 ? 'neither' : 'both'} of --dry-run and --once, expected one`];
}

function bucketProblems(name: CommandName, values: ReadonlyMap<string, unknown>): string[] {
  if (name !== 'repair' || values.has('help') || values.has('bucket')) return [];
  return ['got no --bucket, expected the name of one'];
}

function deployProblems(name: CommandName, values: ReadonlyMap<string, unknown>): string[] {
  const isMissing = name === 'deploy' && !values.has('config') && !values.has('help');
  return isMissing ? ['deploy: expected --config FILE'] : [];
}

function capsuleProblems(
  name: CommandName,
  operands: readonly string[],
  values: ReadonlyMap<string, unknown>,
): string[] {
  if (name !== 'capsule' || values.has('help')) return [];
  const isRight = operands.length === 2 && operands[0] === 'verify';
  return isRight
    ? []
    : [`got capsule ${operands.join(' ')}`.trim() + ', expected capsule verify FILE'];
}

/** The actions of `store` that take a file. */
const WITH_FILE: ReadonlySet<string> = new Set<StoreAction>(['export', 'import']);

function storeProblems(
  name: CommandName,
  operands: readonly string[],
  values: ReadonlyMap<string, unknown>,
): string[] {
  if (name !== 'store' || values.has('help')) return [];
  const [action = ''] = operands;
  const isKnown = STORE_ACTIONS.some((known) => known === action);
  if (isKnown && operands.length === (WITH_FILE.has(action) ? 2 : 1)) return [];
  const forms = STORE_ACTIONS.map((known) => (WITH_FILE.has(known) ? `${known} FILE` : known));
  return [
    `got ${['store', ...operands].join(' ')}, expected store with one of ${forms.join(', ')}`,
  ];
}

function timeoutProblems(values: ReadonlyMap<string, string | true>): string[] {
  const given = values.get('timeout-ms');
  if (typeof given !== 'string' || typeof toNumber(given) === 'number') return [];
  return [`--timeout-ms: got "${given}", expected milliseconds, an integer from 0 to 999999999`];
}

function toCommand(
  name: CommandName,
  values: ReadonlyMap<string, string | true>,
  operands: readonly string[],
): Command {
  if (name === 'version' || name === 'help') return { name };
  const text = (flag: string): string | undefined => {
    const value = values.get(flag);
    return typeof value === 'string' ? value : undefined;
  };
  const flags: Partial<Record<ConfigKey, unknown>> = {};
  for (const [key, flag] of Object.entries(FLAG_OF_KEY) as [ConfigKey, string][]) {
    const value = text(flag.slice(2));
    if (value !== undefined) flags[key] = key === 'listeners' ? toNumber(value) : value;
  }
  const configFile = text('config');
  if (name === 'capsule') {
    return { name, file: operands[1] ?? '', trustedKeys: text(TRUSTED_KEYS) };
  }
  if (name === 'store') {
    return { name, configFile, flags, action: operands[0] as StoreAction, file: operands[1] };
  }
  if (name === 'deploy') {
    return { name, configFile: configFile ?? '', importFile: text('import') };
  }
  if (name === 'start') return { name, configFile, flags };
  if (name === 'janitor') {
    return { name, configFile, flags, mode: values.has('once') ? 'once' : 'dry-run' };
  }
  if (name === 'repair') {
    const what = { bucket: text('bucket') ?? '', key: text('key'), account: text('account') };
    return { name, configFile, flags, ...what, isDry: values.has('dry-run') };
  }
  if (name === 'check') {
    const [print, cluster] = [values.has('print'), values.has('cluster')];
    return { name, configFile, flags, print, cluster };
  }
  const timeout = text('timeout-ms');
  const timeoutMs = timeout === undefined ? undefined : Number(timeout);
  return { name, configFile, flags, timeoutMs };
}

/** A value that is no number stays text, so that the report shows what was typed. */
function toNumber(value: string): number | string {
  return /^\d{1,9}$/.test(value) ? Number(value) : value;
}
