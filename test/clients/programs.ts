import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  mustRun,
  runProgram,
  succeeded,
  type ProgramOptions,
  type ProgramResult,
} from '../support/programs.js';
import type { ClientBench } from './harness.js';
import { WarmAwsCli } from './warm-aws.js';

/** Real clients' programs, set up as docs/clients.md tells their users. */

const SCRIPTS = join(process.cwd(), 'test/clients/python');

/** A client's program with its settings. Called, it runs to its end. @throws Error when it fails */
export interface ClientProgram {
  (...args: readonly string[]): Promise<ProgramResult>;
  /** Runs it, and accepts any exit code. */
  attempt(...args: readonly string[]): Promise<ProgramResult>;
  /** With this on its stdin. @throws Error when it fails */
  fed(input: string, ...args: readonly string[]): Promise<ProgramResult>;
}

interface Settings extends ProgramOptions {
  /** Before those of each call. */
  readonly args: readonly string[];
}

/**
 * @param settings asked for at each call: the bench is there when tests and hooks run
 * @param runTo how it runs when nothing is on its stdin
 */
function clientProgram(
  name: string,
  settings: () => Settings,
  runTo: typeof runProgram = runProgram,
): ClientProgram {
  const attempt = (...args: readonly string[]): Promise<ProgramResult> => {
    const own = settings();
    return runTo(name, [...own.args, ...args], own);
  };
  const run = async (...args: readonly string[]): Promise<ProgramResult> =>
    succeeded(name, args, await attempt(...args));
  const fed = (input: string, ...args: readonly string[]): Promise<ProgramResult> => {
    const own = settings();
    return mustRun(name, [...own.args, ...args], { ...own, input });
  };
  return Object.assign(run, { attempt, fed });
}

/** The remote is `rw:`. @param more of the remote's keys, e.g. `upload_cutoff` */
export function useRclone(
  bench: () => ClientBench,
  more: Readonly<Record<string, string>> = {},
): ClientProgram {
  return clientProgram('rclone', () => {
    const { folder, service } = bench();
    const remote = {
      type: 's3',
      provider: 'Other',
      endpoint: service.endpoint,
      region: 'us-east-1',
      access_key_id: service.accessKey,
      secret_access_key: service.secretKey,
      ...more,
    };
    const env: Record<string, string> = {
      HOME: folder,
      RCLONE_CONFIG: join(folder, 'rclone.conf'),
    };
    for (const [key, value] of Object.entries(remote)) {
      env[`RCLONE_CONFIG_RW_${key.toUpperCase()}`] = value;
    }
    return { args: ['--retries', '1'], cwd: folder, env };
  });
}

/** Its configuration stands in a file of the bench's folder. @param more keys of it */
export function useS3cmd(
  bench: () => ClientBench,
  more: Readonly<Record<string, string>> = {},
): ClientProgram {
  before(async () => {
    const { folder, service } = bench();
    const { host } = new URL(service.endpoint);
    const config = {
      access_key: service.accessKey,
      secret_key: service.secretKey,
      host_base: host,
      // The same host again means path style.
      host_bucket: host,
      use_https: 'False',
      ...more,
    };
    const lines = Object.entries(config).map(([key, value]) => `${key} = ${value}\n`);
    await writeFile(join(folder, 's3cfg'), `[default]\n${lines.join('')}`);
  });

  return clientProgram('s3cmd', () => {
    const { folder } = bench();
    const args = ['--config', join(folder, 's3cfg'), '--no-progress'];
    return { args, cwd: folder, env: { HOME: folder } };
  });
}

/** With what scripts need besides plain calls. */
export interface AwsCli extends ClientProgram {
  /** `aws s3api …`. @returns its JSON; an empty object when it says nothing. @throws when it fails */
  s3api<T = Record<string, unknown>>(...args: readonly string[]): Promise<T>;
  /** To run it in another way. */
  settings(): Required<Omit<Settings, 'input'>>;
}

/** As docs/clients.md tells its users. */
export const AWS_CONFIG = `[default]
region = us-east-1
s3 =
    addressing_style = path
`;

export function useAwsCli(bench: () => ClientBench): AwsCli {
  let warm: WarmAwsCli | undefined;
  after(() => warm?.end());
  before(() => writeFile(join(bench().folder, 'aws-config'), AWS_CONFIG));

  const settings = () => {
    const { folder, service } = bench();
    const env = {
      ...pythonEnvironment(folder),
      AWS_CONFIG_FILE: join(folder, 'aws-config'),
      AWS_ACCESS_KEY_ID: service.accessKey,
      AWS_SECRET_ACCESS_KEY: service.secretKey,
    };
    // Releases before 2.13 do not read AWS_ENDPOINT_URL.
    return { args: ['--endpoint-url', service.endpoint, '--output', 'json'], cwd: folder, env };
  };
  const aws = clientProgram('aws', settings, (name, args, options) => {
    warm ??= WarmAwsCli.start(options ?? {});
    return warm?.run(args) ?? runProgram(name, args, options);
  });
  const s3api = async <T>(...args: readonly string[]): Promise<T> => {
    const { stdout } = await aws('s3api', ...args);
    return JSON.parse(stdout.trim() === '' ? '{}' : stdout) as T;
  };
  return Object.assign(aws, { s3api, settings });
}

/** What programs in Python need. @param home of their user */
export function pythonEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    AWS_EC2_METADATA_DISABLED: 'true',
    // Debian's botocore and its optional native runtime do not fit each other.
    BOTO_DISABLE_CRT: 'true',
  };
}

/** The repository is `backups/of a folder`, which needs no bucket made for it. */
export function useRestic(bench: () => ClientBench): ClientProgram {
  return clientProgram('restic', () => {
    const { folder, service } = bench();
    const env = {
      HOME: folder,
      AWS_ACCESS_KEY_ID: service.accessKey,
      AWS_SECRET_ACCESS_KEY: service.secretKey,
      RESTIC_REPOSITORY: `s3:${service.endpoint}/backups/of a folder`,
      RESTIC_PASSWORD: 'correct horse battery staple',
    };
    return { args: [], cwd: folder, env };
  });
}

/**
 * Runs a script of test/clients/python, which reads a job and reports, both in JSON. It gets the
 * endpoint and the credential besides what the job says.
 * @throws Error when it fails
 */
export async function runBoto3<Report>(
  { folder, service }: ClientBench,
  script: string,
  job: Readonly<Record<string, unknown>>,
): Promise<Report> {
  const { endpoint, accessKey, secretKey } = service;
  const whole = { endpoint, access_key: accessKey, secret_key: secretKey, ...job };
  const { stdout } = await mustRun('python3', [join(SCRIPTS, script)], {
    // Nothing is to be written beside the scripts.
    env: { ...pythonEnvironment(folder), PYTHONDONTWRITEBYTECODE: '1' },
    input: JSON.stringify(whole),
  });
  return JSON.parse(stdout) as Report;
}
