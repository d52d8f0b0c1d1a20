/** A flag of the command line, for the parser and for `--help`. */
export interface Flag {
  readonly name: string;
  /** The placeholder of the value in the help; none for a switch. */
  readonly value?: string;
  /** The right value, worded to follow "expected". */
  readonly expected?: string;
  readonly help: string;
  /** May be given several times, or with commas. */
  readonly isList?: true;
}

export const PEERS = ['nginx', 's3rver', 'swift', 's3api', 'ringway-proxy', 'ringway'] as const;
export type PeerName = (typeof PEERS)[number];

export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly Flag[];
}

/** A flag with a value. */
export function flag(name: string, value: string, expected: string, help: string): Flag {
  return { name, value, expected, help };
}

/** One that may be given several times, or with commas. */
export function list(name: string, value: string, expected: string, help: string): Flag {
  return { name, value, expected, help, isList: true };
}

export function count(name: string, min: number, max: number, help: string): Flag {
  return flag(name, 'N', `an integer from ${min} to ${max}`, help);
}

export function seconds(name: string, min: number, max: number, help: string): Flag {
  return flag(name, 'S', `a number from ${min} to ${max}`, help);
}

export const FLAG_GROUPS: readonly FlagGroup[] = [
  {
    title: 'What is run',
    flags: [
      { name: 'quick', help: 'fewer and shorter slices, fewer keys: under a minute' },
      list(
        'rows',
        'ROW[:C[+C]],…',
        'names of rows with commas between',
        'these rows only, at their own or at the given concurrencies',
      ),
      count('slices', 1, 100, 'slices of each row (5; quick: 3)'),
      seconds('seconds', 0.1, 600, 'length of a slice (2; quick: 0.4)'),
      seconds(
        'warm-up',
        0,
        3600,
        'at least so long before each row, for each target (until it gets no faster)',
      ),
      count(
        'list-keys',
        200,
        10_000_000,
        'keys that listings run over (100000; quick: 10000; with Swift: 2000)',
      ),
      count('workers', 1, 64, 'processes that generate load (half the processors)'),
    ],
  },
  {
    title: 'Ringway, when no --target is given',
    flags: [
      flag(
        'config',
        'FILE',
        'a configuration file',
        'instead of an embedded store with the defaults',
      ),
      count('listeners', 1, 256, 'listener processes (one for each processor, or as configured)'),
      { name: 'profile', help: 'print where the listeners spend their time, for each row' },
    ],
  },
  {
    title: 'Any other S3 endpoint',
    flags: [
      flag('target', 'URL', 'http://… or https://…', 'what to measure'),
      flag(
        'access-key',
        'KEY',
        'an access key',
        'or AWS_ACCESS_KEY_ID; with --config: of one of its users',
      ),
      flag('secret-key', 'KEY', 'a secret key', 'or AWS_SECRET_ACCESS_KEY'),
      flag('region', 'NAME', 'a region', 'that is signed (us-east-1)'),
      flag(
        'bucket',
        'NAME',
        'a bucket name',
        'new or empty, deleted at the end (a name of the run)',
      ),
      list(
        'pid',
        'PID,…',
        'process ids with commas between',
        "the endpoint's processes on this machine, for CPU and memory",
      ),
    ],
  },
  {
    title: 'Peers, measured in the same run, slice by slice in turn',
    flags: [
      list(
        'peer',
        'NAME,…',
        `${PEERS.slice(0, 5).join(', ')} or ringway:DIST`,
        'nginx, s3rver, swift, s3api, ringway-proxy: without direct reads, or ringway:DIST, another build',
      ),
      flag(
        'swift-lab',
        'DIR',
        'the folder of a lab',
        'says all of the following of a lab made by npm run swift:up',
      ),
      flag('swift-auth', 'URL', 'http://…/auth/v1.0', 'where tokens are had'),
      flag(
        'swift-url',
        'URL',
        'http://…',
        "proxy to measure, where it is not the one that the log-in's answer names",
      ),
      flag('swift-user', 'ACCOUNT:USER', 'account:user', 'of Swift'),
      flag('swift-key', 'KEY', 'a key', 'of that user'),
      flag('s3api-url', 'URL', 'http://…', "a proxy with Swift's s3api"),
      flag(
        'swift-pids',
        'PIDS',
        'process ids with commas between, or a folder of *.pid files',
        "Swift's processes on this machine; a folder: proxies and storage apart",
      ),
    ],
  },
  {
    title: 'Output',
    flags: [
      flag('json', 'FILE', 'a path', 'all figures'),
      flag('report', 'FILE', 'a path', 'one HTML page with charts'),
      flag('compare', 'FILE', 'a file that --json wrote', 'ratios of this run to that one'),
      { name: 'help', help: 'this text' },
    ],
  },
];

export const FLAGS: readonly Flag[] = FLAG_GROUPS.flatMap((group) => group.flags);
