import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { parseJsonObject } from './json.js';
import { ConfigError, type ConfigProblem, describeHidden } from './problem.js';

/** One entry of the credentials file, in the shape that the S3 layer's `Credential` has. */
export interface RosterEntry {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The store's account, e.g. `AUTH_main`. */
  readonly account: string;
  /** `owner` may do everything in the account; `member` what ACLs grant. */
  readonly role: 'owner' | 'member';
  /**
   * `account:user`, the name that ACLs use for this key; without it, the key is a user of its own.
   */
  readonly user?: string | undefined;
  /** False for an account other than that of the first owner in the file, whose owners operate. */
  readonly isMain?: false;
}

/** An entry of the file with what only says when it is in force, and what it is for. */
export interface CredentialRecord extends Omit<RosterEntry, 'isMain'> {
  readonly description?: string | undefined;
  /** Refused like a key that is not in the file. */
  readonly disabled?: boolean | undefined;
  /** The time, as ISO 8601 in UTC, from which on it is refused. */
  readonly expires?: string | undefined;
}

/**
 * The access keys that may sign requests; each is unique. Empty where an identity service knows
 * them.
 */
export type Roster = readonly RosterEntry[];

/** The account that the first credential owns. */
const MAIN_ACCOUNT = 'AUTH_main';

/** Neither `/` nor `,` nor white space: an access key is a part of the credential scope. */
const ACCESS_KEY = keyRule(
  /^[A-Za-z0-9._-]{3,128}$/,
  'an access key: 3 to 128 letters, digits, dots, hyphens and underscores',
);
const SECRET_KEY = keyRule(
  /^[\x21-\x7e]{8,128}$/,
  'a secret key: 8 to 128 printable ASCII characters without spaces',
);
const ACCOUNT = keyRule(
  /^[\x21-\x2e\x30-\x7e]{1,128}$/,
  'an account of the store, such as AUTH_main',
);

/**
 * A user's name as Swift's auth systems write it; no S3 group and no Swift wildcard has this form.
 */
const USER_NAME = /^\w[\w.@+-]{0,127}:[\w.@+-]{1,128}$/;
const USER = keyRule(
  USER_NAME,
  'account:user, such as main:anna, each in up to 128 letters, digits and ._@+-',
);

export const DESCRIPTION = keyRule(
  /^[^\p{Cc}]{0,256}$/u,
  'a description: up to 256 characters, without control characters',
);
const EXPIRES_ERROR = 'a time of UTC, such as 2027-01-31T00:00:00Z';
export const EXPIRES = z.iso.datetime({ error: EXPIRES_ERROR });

/** Whether ACLs can name a user so. */
export function isUserName(text: string): boolean {
  return USER_NAME.test(text);
}

/** The characters of each field, to say where a value goes wrong; `role` is one of two words. */
const CHARACTERS: Readonly<Record<PropertyKey, RegExp | undefined>> = {
  access_key: /[A-Za-z0-9._-]/,
  secret_key: /[\x21-\x7e]/,
  account: /[\x21-\x2e\x30-\x7e]/,
  user: /[\w.@+:-]/,
};

const ENTRY = z.strictObject(
  {
    access_key: ACCESS_KEY,
    secret_key: SECRET_KEY,
    account: ACCOUNT,
    role: z.enum(['owner', 'member'], { error: 'owner or member' }),
    user: USER.optional(),
    description: DESCRIPTION.optional(),
    disabled: z.boolean({ error: 'true or false' }).optional(),
    expires: EXPIRES.optional(),
  },
  {
    error:
      'an object with access_key, secret_key, account and role, perhaps user, description, disabled and expires, and nothing else',
  },
);

const FILE = z.strictObject(
  {
    credentials: z
      .array(ENTRY, { error: 'a list of credentials' })
      .min(1, { error: 'at least one credential' }),
  },
  { error: 'the key credentials, and nothing else' },
);

function keyRule(pattern: RegExp, error: string): z.ZodString {
  return z.string({ error }).regex(pattern, { error });
}

/**
 * Reads those credentials from the text of a file that are in force.
 * @param file - its path, for the report
 * @throws ConfigError with everything that is wrong; no secret is in it
 */
export function parseCredentials(text: string, file: string, nowMs = Date.now()): Roster {
  return inForce(parseRecords(text, file), nowMs);
}

/** Picks the credentials that are in force at a time. */
export function inForce(records: readonly CredentialRecord[], nowMs: number): Roster {
  const main = records.find(({ role }) => role === 'owner')?.account;
  return records
    .filter((record) => isInForce(record, nowMs))
    .map(({ accessKey, secretKey, account, role, user }) => ({
      ...{ accessKey, secretKey, account, role },
      ...(user === undefined ? {} : { user }),
      ...(account === main || main === undefined ? {} : { isMain: false as const }),
    }));
}

/** Whether requests that a credential signs are accepted at a time. */
export function isInForce({ disabled, expires }: CredentialRecord, nowMs: number): boolean {
  return disabled !== true && (expires === undefined || Date.parse(expires) > nowMs);
}

/** The next time, in milliseconds since 1970, at which a credential expires; undefined for none. */
export function nextExpiry(
  records: readonly CredentialRecord[],
  nowMs: number,
): number | undefined {
  const times = records.flatMap(({ expires }) =>
    expires === undefined ? [] : Date.parse(expires),
  );
  const ahead = times.filter((time) => time > nowMs);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/**
 * Reads all credentials from the text of a file, also those that are not in force.
 * @param file - its path, for the report
 * @throws ConfigError with everything that is wrong; no secret is in it
 */
export function parseRecords(text: string, file: string): CredentialRecord[] {
  const json = parseJsonObject(text);
  if (!json.ok) {
    const { place, expected } = json.problem;
    throw new ConfigError([{ source: 'file', key: `${file}, ${place}`, expected }]);
  }
  const result = FILE.safeParse(json.object);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => toProblem(issue, json.object, file)));
  }
  const records = result.data.credentials.map(
    ({ access_key: accessKey, secret_key: secretKey, ...others }) => ({
      accessKey,
      secretKey,
      ...others,
    }),
  );
  refuseDuplicates(records, file);
  return records;
}

/** The file's text. */
export function renderCredentials(records: readonly CredentialRecord[]): string {
  const credentials = records.map((entry) => ({
    access_key: entry.accessKey,
    secret_key: entry.secretKey,
    account: entry.account,
    role: entry.role,
    user: entry.user,
    description: entry.description,
    disabled: entry.disabled,
    expires: entry.expires,
  }));
  return `${JSON.stringify({ credentials }, null, 2)}\n`;
}

export const ACCESS_KEY_VARIABLE = 'RINGWAY_ACCESS_KEY';
export const SECRET_KEY_VARIABLE = 'RINGWAY_SECRET_KEY';

/**
 * The credential that the environment names; empty variables count as absent.
 * @returns undefined when it names none
 * @throws ConfigError when only half is there, or when it cannot be used
 */
export function environmentCredential(env: NodeJS.ProcessEnv): RosterEntry | undefined {
  const accessKey = env[ACCESS_KEY_VARIABLE] ?? '';
  const secretKey = env[SECRET_KEY_VARIABLE] ?? '';
  if (accessKey === '' && secretKey === '') return undefined;
  const problems = [
    ...variableProblems(ACCESS_KEY_VARIABLE, accessKey, ACCESS_KEY, CHARACTERS.access_key),
    ...variableProblems(SECRET_KEY_VARIABLE, secretKey, SECRET_KEY, CHARACTERS.secret_key),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return { accessKey, secretKey, account: MAIN_ACCOUNT, role: 'owner' };
}

function variableProblems(
  key: string,
  value: string,
  rule: z.ZodString,
  characters: RegExp | undefined,
): ConfigProblem[] {
  const source = 'environment';
  if (value === '') return [{ source, key, expected: 'a value, since its pair has one' }];
  const issue = rule.safeParse(value).error?.issues[0];
  if (issue === undefined) return [];
  return [{ source, key, found: describeHidden(value, characters), expected: issue.message }];
}

const ACCESS_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ACCESS_KEY_LENGTH = 20;
/** 30 bytes are 40 characters of base64url and 240 bits. */
const SECRET_KEY_BYTES = 30;

/** A new credential, in the form that AWS gives its own. */
export function generateCredential(): RosterEntry {
  const letters = Array.from(
    { length: ACCESS_KEY_LENGTH },
    () => ACCESS_KEY_ALPHABET[randomInt(ACCESS_KEY_ALPHABET.length)],
  );
  return {
    accessKey: letters.join(''),
    secretKey: randomBytes(SECRET_KEY_BYTES).toString('base64url'),
    account: MAIN_ACCOUNT,
    role: 'owner',
  };
}

/**
 * No value of any field is shown: an operator who mixes two fields up has put the secret into the
 * other one.
 */
function toProblem(issue: z.core.$ZodIssue, root: unknown, file: string): ConfigProblem {
  let given: unknown = root;
  for (const step of issue.path) given = (given as Readonly<Record<PropertyKey, unknown>>)[step];
  const place = issue.path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  );
  const unknown = issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys) : '';
  const field = issue.path.at(-1);
  return {
    source: 'file',
    key: `${file}: ${place.join('').replace(/^\./, '') || 'the file'}`,
    found: unknown === '' ? describeHidden(given, CHARACTERS[field ?? '']) : undefined,
    expected: `${issue.message}${unknown}`,
  };
}

/** Like the ones that exist; a secret that was drawn at random is unlikely to be. */
const NAME_OF_FIELD = /^[a-z_]{1,20}$/;

function unknownKeys(keys: readonly string[]): string {
  const names = keys.map((key) =>
    NAME_OF_FIELD.test(key) ? key : `a key of ${describeHidden(key) ?? ''}`,
  );
  return `; not known: ${names.join(', ')}`;
}

function refuseDuplicates(roster: readonly CredentialRecord[], file: string): void {
  const indexOf = new Map<string, number>();
  const problems: ConfigProblem[] = [];
  roster.forEach(({ accessKey }, index) => {
    const first = indexOf.get(accessKey);
    if (first === undefined) {
      indexOf.set(accessKey, index);
      return;
    }
    problems.push({
      source: 'file',
      key: `${file}: credentials[${index}].access_key`,
      found: `the one of credentials[${first}]`,
      expected: 'each access key once',
    });
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
