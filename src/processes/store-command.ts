import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { StoreOpenError, withOpenStore } from '../backend/embedded/index.js';
import { checkStore } from '../backend/embedded/upkeep/check.js';
import { compactIndex } from '../backend/embedded/upkeep/compact.js';
import { ExportFormatError } from '../backend/embedded/upkeep/export-lines.js';
import { exportStore } from '../backend/embedded/upkeep/export.js';
import { importStore, ImportRefusedError } from '../backend/embedded/upkeep/import.js';
import { storeDirectory, type FilledOptions } from '../config/options.js';
import { syncFolder } from '../lib/durable-file.js';
import { OutputError } from '../lib/result-output.js';
import { dirname } from 'node:path';
import { CommandError, CommandReport, runCommand } from './command-process.js';
import type { StoreCommandInit } from './store-command-protocol.js';

/**
 * `ringway store`: checks, exports and imports the embedded store beside a service that may run, and
 * compacts its index when none does. Writes lines of JSON, the last one a summary.
 */
runCommand(main);

async function main(init: StoreCommandInit, signal: AbortSignal): Promise<void> {
  try {
    await ACTIONS[init.action](init, signal);
  } catch (error) {
    if (error instanceof StoreOpenError) {
      const failure = error.code === 'in_use' ? 'busy' : 'store';
      throw new CommandError(failure, error.message);
    }
    if (error instanceof ExportFormatError) throw new CommandError('export', error.message);
    if (error instanceof ImportRefusedError) throw new CommandError('busy', error.message);
    throw error;
  }
}

const ACTIONS = { check, export: exportTo, import: importFrom, compact } as const;

/** Large, for a device that is read once from one end to the other. */
const CHUNK_BYTES = 1024 * 1024;

async function check({ options }: StoreCommandInit, signal: AbortSignal): Promise<void> {
  const report = new CommandReport();
  const summary = await withOpenStore(optionsOf(options), (deps) =>
    checkStore(deps, signal, ({ fault, account, container: bucket, object: key }) => {
      report.line({ fault, account, bucket, key });
    }),
  );
  report.summary(summary);
  await report.output.flushed();
  if (summary.faults > 0)
    throw new CommandError('damaged', `the store has ${summary.faults} faults`);
}

async function exportTo({ options, file }: StoreCommandInit, signal: AbortSignal): Promise<void> {
  if (file === undefined) {
    const summary = await withOpenStore(optionsOf(options), (deps) =>
      exportStore(deps, signal, writeToStdout),
    );
    process.stderr.write(`${JSON.stringify({ summary })}\n`);
    return;
  }
  const target = await open(file, 'wx', 0o600);
  try {
    const summary = await withOpenStore(optionsOf(options), (deps) =>
      exportStore(deps, signal, (bytes) => target.writeFile(bytes)),
    );
    await target.sync();
    await syncFolder(dirname(file));
    await tell(summary);
  } catch (error) {
    // Half an export is of no use, and would be in the way of the next one.
    await rm(file, { force: true });
    throw error;
  } finally {
    await target.close();
  }
}

function writeToStdout(bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => {
      if (error) reject(new OutputError(error));
      else resolve();
    });
  });
}

async function importFrom({ options, file }: StoreCommandInit, signal: AbortSignal): Promise<void> {
  const source =
    file === undefined ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const bytes = source as AsyncIterable<Buffer>;
  try {
    await tell(await withOpenStore(optionsOf(options), (deps) => importStore(deps, signal, bytes)));
  } finally {
    source.destroy();
  }
}

async function compact({ options }: StoreCommandInit): Promise<void> {
  const { bytesBefore, bytesAfter } = await compactIndex(storeDirectory(options));
  await tell({ index_bytes_before: bytesBefore, index_bytes_after: bytesAfter });
}

async function tell(summary: object): Promise<void> {
  const report = new CommandReport();
  report.summary(summary);
  await report.output.flushed();
}

function optionsOf(options: FilledOptions): Parameters<typeof withOpenStore>[0] {
  const { inlineBodyBytesMax } = options;
  return { directory: storeDirectory(options), inlineBodyBytesMax };
}
