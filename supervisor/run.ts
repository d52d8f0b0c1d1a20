import { renderConfig } from '../src/config/print.js';
import { OutputError, ResultOutput } from '../src/lib/result-output.js';
import { verifyCapsuleFile } from './capsule.js';
import { runControl } from './control-command.js';
import { parseCommandLine, UsageError, type Command, type Configured } from './cli.js';
import { runDeploy } from './deploy.js';
import { EXIT_CODES, Failure, type ExitReason } from './exit-codes.js';
import { renderHelp } from './help.js';
import { runBeside } from './janitor.js';
import { checkRings, readSettings, type Settings } from './settings.js';
import { start, type StartDeps as StartParts } from './start.js';
import { runStore } from './store-command.js';
import { readVersion } from './version.js';
import { warn } from './warn.js';

/** The programs that the commands run; tests put others in their place. */
export interface RunDeps extends StartParts {
  /** Path of the program of `ringway janitor`. */
  readonly janitorCommand: string;
  /** Path of the program of `ringway repair`. */
  readonly repairCommand: string;
  /** Path of the program of `ringway store`. */
  readonly storeCommand: string;
}

/**
 * The whole program behind its arguments. Results go to stdout; what is wrong goes to stderr.
 * @returns the exit code
 */
export async function run(args: readonly string[], deps: RunDeps): Promise<number> {
  // A full disk under the log, or a terminal that was closed, ends no service: lines are lost.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    return EXIT_CODES[await execute(parseCommandLine(args), deps)].code;
  } catch (error) {
    return report(error);
  }
}

async function execute(command: Command, deps: RunDeps): Promise<ExitReason> {
  switch (command.name) {
    case 'start':
      return start(() => settingsOf(command), deps);
    case 'check': {
      const settings = settingsOf(command);
      const { options, credentials, warnings } = settings;
      await checkRings(options);
      for (const line of [...warnings, ...(credentials?.warnings ?? [])]) warn(line);
      const answer = command.print ? renderConfig(options) : 'the configuration can be used';
      if (!command.cluster) return tell(`${answer}\n`);
      return checkProxies(settings, `${answer}\n`);
    }
    case 'janitor': {
      const settings = settingsOf(command);
      await checkRings(settings.options);
      return runBeside(settings, { mode: command.mode }, deps.janitorCommand);
    }
    case 'repair': {
      const { bucket, key, account, isDry } = command;
      const settings = settingsOf(command);
      await checkRings(settings.options);
      return runBeside(settings, { bucket, key, account, isDry }, deps.repairCommand);
    }
    case 'store': {
      const settings = settingsOf(command);
      return runStore(settings, command, deps.storeCommand);
    }
    case 'capsule':
      return verifyCapsuleFile(command, tell);
    case 'deploy':
      return runDeploy(command.configFile, command.importFile);
    case 'reload':
    case 'drain':
    case 'wait-ready':
      return runControl(command);
    case 'version': {
      const { version, revision, node } = readVersion();
      return tell(`ringway ${version} (revision ${revision}, Node.js ${node})\n`);
    }
    case 'help':
      return tell(renderHelp());
  }
}

function settingsOf({ configFile, flags }: Configured): Settings {
  return readSettings(configFile, flags, process.env);
}

/** @throws OutputError; what checkCluster throws */
async function checkProxies(settings: Settings, answer: string): Promise<ExitReason> {
  // Loaded where it is asked for: no other command speaks HTTP to Swift.
  const { checkCluster } = await import('./cluster-check.js');
  const output = new ResultOutput();
  output.write(answer);
  const reason = await checkCluster(settings, (line) => {
    output.write(`${line}\n`);
  });
  await output.flushed();
  return reason;
}

/** @throws OutputError */
async function tell(result: string): Promise<ExitReason> {
  const output = new ResultOutput();
  output.write(result);
  await output.flushed();
  return 'ok';
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    for (const problem of error.problems) process.stderr.write(`ringway: ${problem}\n`);
    process.stderr.write('`ringway help` shows commands and flags\n');
    return EXIT_CODES.usage.code;
  }
  if (error instanceof OutputError) {
    process.stderr.write(`ringway: ${error.message}\n`);
    return EXIT_CODES.output.code;
  }
  if (error instanceof Failure) {
    process.stderr.write(`ringway: ${error.message}\n`);
    return EXIT_CODES[error.reason].code;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`ringway: internal error: ${text}\n`);
  return EXIT_CODES.internal.code;
}
