import { availableParallelism } from 'node:os';
import { FLAGS } from './flags.js';
import { UsageError, type KeyPair, type Options } from './options.js';
import { readFlags } from './read-flags.js';
import { FlagValues } from './values.js';

/** Flags that say nothing beside a `--target`: they are about a Ringway that is started. */
const OWN_SERVICE = ['config', 'listeners', 'profile'];

/**
 * @param args behind the program's name
 * @returns `help` when that is asked for
 * @throws UsageError with every mistake
 */
export function parseOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Options | 'help' {
  const { given, problems } = readFlags(args, FLAGS);
  if (given.has('help')) return 'help';
  const values = new FlagValues(given, FLAGS);
  const options = toOptions(values, env);
  problems.push(...values.problems, ...contradictions(values, options));
  if (problems.length > 0) throw new UsageError(problems);
  return options;
}

function toOptions(values: FlagValues, env: NodeJS.ProcessEnv): Options {
  const isQuick = values.has('quick');
  const peers = values.peers('peer');
  const usesSwift = peers.some(({ kind }) => kind === 'swift' || kind === 's3api');
  const listKeys = usesSwift ? 2000 : isQuick ? 10_000 : 100_000;
  return {
    rows: values.rows('rows', isQuick),
    slices: values.integer('slices', 1, 100) ?? (isQuick ? 3 : 5),
    seconds: values.number('seconds', 0.1, 600) ?? (isQuick ? 0.4 : 2),
    warmUpSecondsMin: values.number('warm-up', 0, 3600) ?? 0,
    listKeys: values.integer('list-keys', 200, 10_000_000) ?? listKeys,
    workers:
      values.integer('workers', 1, 64) ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    configFile: values.text('config'),
    listeners: values.integer('listeners', 1, 256),
    profile: values.has('profile'),
    target: values.url('target'),
    keys: keyPair(values, env),
    region: values.text('region') ?? 'us-east-1',
    bucket: values.text('bucket'),
    pids: values.pids('pid'),
    peers,
    swift: {
      lab: values.text('swift-lab'),
      auth: values.url('swift-auth'),
      url: values.url('swift-url'),
      user: values.text('swift-user'),
      key: values.text('swift-key'),
      s3api: values.url('s3api-url'),
      pids: values.text('swift-pids'),
    },
    jsonFile: values.text('json'),
    reportFile: values.text('report'),
    compareFile: values.text('compare'),
  };
}

/** The environment gives keys for a target only: our own Ringway has its own keys. */
function keyPair(values: FlagValues, env: NodeJS.ProcessEnv): KeyPair | undefined {
  const fallback = values.has('target') ? env : {};
  const accessKey = values.text('access-key') ?? fallback.AWS_ACCESS_KEY_ID;
  const secretKey = values.text('secret-key') ?? fallback.AWS_SECRET_ACCESS_KEY;
  if (accessKey === undefined || secretKey === undefined) return undefined;
  return { accessKey, secretKey };
}

function contradictions(values: FlagValues, options: Options): string[] {
  const problems: string[] = [];
  if (values.has('target')) {
    if (options.keys === undefined)
      problems.push('--target: got no keys, expected --access-key and --secret-key beside it');
    for (const name of OWN_SERVICE)
      if (values.has(name)) problems.push(`--${name}: says nothing beside --target`);
  } else {
    if (values.has('pid')) problems.push('--pid: expected a --target that these processes are');
    if (values.has('access-key') !== values.has('secret-key'))
      problems.push('got one of --access-key and --secret-key, expected both or none');
  }
  return [...problems, ...swiftProblems(options)];
}

function swiftProblems({ peers, swift }: Options): string[] {
  if (swift.lab !== undefined) return [];
  const needs = [
    { peer: 'swift', flags: { 'swift-auth': swift.auth } },
    { peer: 's3api', flags: { 's3api-url': swift.s3api } },
  ] as const;
  const login = { 'swift-user': swift.user, 'swift-key': swift.key };
  return needs
    .filter(({ peer }) => peers.some(({ kind }) => kind === peer))
    .flatMap(({ peer, flags }) =>
      Object.entries({ ...flags, ...login })
        .filter(([, value]) => value === undefined)
        .map(([name]) => `--peer ${peer}: expected --${name}, or --swift-lab, beside it`),
    );
}
