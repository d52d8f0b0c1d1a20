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

export const FLAG_GROUPS: readonly FlagGroup[] = [
  {
    title: 'What is run',
    flags: [
      { name: 'quick', help: 'fewer and shorter slices, fewer keys: under a minute' },
      {
        name: 'rows',
        value: 'ROW[:C[+C]],…',
        expected: 'names of rows with commas between',
        help: 'these rows only, at their own or at the given concurrencies',
        isList: true,
      },
      {
        name: 'slices',
        value: 'N',
        expected: 'an integer from 1 to 100',
        help: 'slices of each row (5; quick: 3)',
      },
      {
        name: 'seconds',
        value: 'S',
        expected: 'a number from 0.1 to 600',
        help: 'length of a slice (2; quick: 0.4)',
      },
      {
        name: 'warm-up',
        value: 'S',
        expected: 'a number from 0 to 3600',
        help: 'at least so long before each row, for each target (until it gets no faster)',
      },
      {
        name: 'list-keys',
        value: 'N',
        expected: 'an integer from 200 to 10000000',
        help: 'keys that listings run over (100000; quick: 10000; with Swift: 2000)',
      },
      {
        name: 'workers',
        value: 'N',
        expected: 'an integer from 1 to 64',
        help: 'processes that generate load (half the processors)',
      },
    ],
  },
  {
    title: 'Ringway, when no --target is given',
    flags: [
      {
        name: 'config',
        value: 'FILE',
        expected: 'a configuration file',
        help: 'instead of an embedded store with the defaults',
      },
      {
        name: 'listeners',
        value: 'N',
        expected: 'an integer from 1 to 256',
        help: 'listener processes (one for each processor, or as configured)',
      },
      { name: 'profile', help: 'print where the listeners spend their time, for each row' },
    ],
  },
  {
    title: 'Any other S3 endpoint',
    flags: [
      { name: 'target', value: 'URL', expected: 'http://… or https://…', help: 'what to measure' },
      {
        name: 'access-key',
        value: 'KEY',
        expected: 'an access key',
        help: 'or AWS_ACCESS_KEY_ID; with --config: of one of its users',
      },
      {
        name: 'secret-key',
        value: 'KEY',
        expected: 'a secret key',
        help: 'or AWS_SECRET_ACCESS_KEY',
      },
      { name: 'region', value: 'NAME', expected: 'a region', help: 'that is signed (us-east-1)' },
      {
        name: 'bucket',
        value: 'NAME',
        expected: 'a bucket name',
        help: 'new or empty, deleted at the end (a name of the run)',
      },
      {
        name: 'pid',
        value: 'PID,…',
        expected: 'process ids with commas between',
        help: "the endpoint's processes on this machine, for CPU and memory",
        isList: true,
      },
    ],
  },
  {
    title: 'Peers, measured in the same run, slice by slice in turn',
    flags: [
      {
        name: 'peer',
        value: 'NAME,…',
        expected: `${PEERS.slice(0, 5).join(', ')} or ringway:DIST`,
        help: 'nginx, s3rver, swift, s3api, ringway-proxy: without direct reads, or ringway:DIST, another build',
        isList: true,
      },
      {
        name: 'swift-lab',
        value: 'DIR',
        expected: 'the folder of a lab',
        help: 'says all of the following of a lab made by npm run swift:up',
      },
      {
        name: 'swift-auth',
        value: 'URL',
        expected: 'http://…/auth/v1.0',
        help: 'where tokens are had',
      },
      {
        name: 'swift-url',
        value: 'URL',
        expected: 'http://…',
        help: "proxy to measure, where it is not the one that the log-in's answer names",
      },
      { name: 'swift-user', value: 'ACCOUNT:USER', expected: 'account:user', help: 'of Swift' },
      { name: 'swift-key', value: 'KEY', expected: 'a key', help: 'of that user' },
      { name: 's3api-url', value: 'URL', expected: 'http://…', help: "a proxy with Swift's s3api" },
      {
        name: 'swift-pids',
        value: 'PIDS',
        expected: 'process ids with commas between, or a folder of *.pid files',
        help: "Swift's processes on this machine; a folder: proxies and storage apart",
      },
    ],
  },
  {
    title: 'Output',
    flags: [
      { name: 'json', value: 'FILE', expected: 'a path', help: 'all figures' },
      { name: 'report', value: 'FILE', expected: 'a path', help: 'one HTML page with charts' },
      {
        name: 'compare',
        value: 'FILE',
        expected: 'a file that --json wrote',
        help: 'ratios of this run to that one',
      },
      { name: 'help', help: 'this text' },
    ],
  },
];

export const FLAGS: readonly Flag[] = FLAG_GROUPS.flatMap((group) => group.flags);
