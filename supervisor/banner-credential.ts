import type { Stats } from 'node:fs';
import type { Credentials } from '../src/config/roster-source.js';
import type { RosterEntry } from '../src/config/credentials.js';
import type { FilledOptions } from '../src/config/options.js';

/** The credential that the banner shows to begin with. */
export interface BannerCredential {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The access key, quoted for the variables of a shell. */
  readonly accessKeyWord: string;
  readonly secretKeyWord: string;
}

type Files = Pick<FilledOptions, 'credentialsFile' | 'tempauthConf' | 'identityUrl'>;

/**
 * The credential of the first owner, whose requests succeed. The secret is shown only when it was
 * made just now; later lines read it from its file.
 */
export function bannerCredential(
  { roster, origin }: Credentials,
  { credentialsFile, tempauthConf, identityUrl }: Files,
): BannerCredential {
  const index = Math.max(
    roster.findIndex(({ role }) => role === 'owner'),
    0,
  );
  const entry = roster[index];
  if (entry === undefined) return ofIdentityService(identityUrl);
  const { accessKey, secretKey } = entry;
  const accessKeyWord = shellWord(accessKey);
  switch (origin) {
    case 'generated':
      return {
        accessKey,
        secretKey: `${secretKey}  (shown this once; kept in ${credentialsFile})`,
        accessKeyWord,
        secretKeyWord: shellWord(secretKey),
      };
    case 'tempauth':
      return {
        accessKey,
        secretKey: `kept in ${tempauthConf}`,
        accessKeyWord,
        secretKeyWord: keyFromConf(entry, tempauthConf),
      };
    default:
      return {
        accessKey,
        secretKey: `kept in ${credentialsFile}`,
        accessKeyWord,
        secretKeyWord: secretFromFile(index, credentialsFile),
      };
  }
}

/** A journal is kept, sent to other hosts, and read by others than its root: the secret stays in its file. */
export function forJournal(credentials: Credentials): Credentials {
  return credentials.origin === 'generated' ? { ...credentials, origin: 'file' } : credentials;
}

/** True where systemd has connected stdout to its journal, by the device and number of its socket. */
export function isJournal(stream: string | undefined, stdout: Pick<Stats, 'dev' | 'ino'>): boolean {
  return stream === `${stdout.dev}:${stdout.ino}`;
}

function ofIdentityService(url: string): BannerCredential {
  const accessKey = `of Keystone at ${url}: openstack ec2 credentials create`;
  return {
    accessKey,
    secretKey: 'of Keystone',
    accessKeyWord: shellWord('<access>'),
    secretKeyWord: shellWord('<secret>'),
  };
}

function secretFromFile(index: number, file: string): string {
  const script = `JSON.parse(fs.readFileSync(process.argv[1])).credentials[${index}].secret_key`;
  return `"$(node -p '${script}' ${shellWord(file)})"`;
}

/** The key in a line like `user_test_tester = testing .admin`: the word behind the equals sign. */
function keyFromConf({ accessKey }: RosterEntry, file: string): string {
  if (!/^[\w-]+:[\w-]+$/.test(accessKey) || accessKey.includes('_')) return shellWord('<key>');
  const option = `user_${accessKey.replace(':', '_')}`;
  return `"$(sed -n 's/^${option} *[=:] *\\([^ ]*\\).*/\\1/p' ${shellWord(file)})"`;
}

/** Quoted where a shell would read it otherwise. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
