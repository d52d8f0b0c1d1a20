import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJsonObject } from '../src/config/json.js';
import { loadConfig } from '../src/config/load.js';
import { ConfigError } from '../src/config/problem.js';
import type { Command, FlagValues } from './cli.js';
import { control } from './control-client.js';
import type { ControlCommand } from './control-protocol.js';
import type { ExitReason } from './exit-codes.js';
import { readSettings } from './settings.js';

type GivenCommand = Extract<Command, { readonly name: ControlCommand }>;

const WAIT_READY_TIMEOUT_MS = 60_000;

/**
 * `ringway reload`, `drain` and `wait-ready`.
 * @throws Failure as {@link control}; `config` when not even the data directory can be found
 */
export async function runControl({
  name,
  configFile,
  flags,
  timeoutMs = name === 'wait-ready' ? WAIT_READY_TIMEOUT_MS : undefined,
}: GivenCommand): Promise<ExitReason> {
  const dataDir = findDataDir(configFile, flags);
  await control({ dataDir, command: name, timeoutMs });
  return 'ok';
}

/** A configuration that cannot be used is for the service to judge, which has its own copy. */
function findDataDir(configFile: string | undefined, flags: FlagValues): string {
  try {
    return loadConfig({ file: configFile, flags, cwd: process.cwd() }).options.dataDir;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = dataDirInside(configFile, flags);
    if (found !== undefined) return found;
    // Says what is wrong, as `check` does.
    return readSettings(configFile, flags, process.env).options.dataDir;
  }
}

function dataDirInside(configFile: string | undefined, flags: FlagValues): string | undefined {
  if (typeof flags.data_dir === 'string') return path.resolve(flags.data_dir);
  if (configFile === undefined) return undefined;
  try {
    const parsed = parseJsonObject(readFileSync(configFile, 'utf8'));
    const given = parsed.ok ? parsed.object.data_dir : undefined;
    return typeof given === 'string' ? path.resolve(path.dirname(configFile), given) : undefined;
  } catch {
    return undefined;
  }
}
