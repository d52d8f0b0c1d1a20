import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResultOutput } from '../src/lib/result-output.js';
import { removeFolder } from '../test/support/temp-folder.js';
import { EXIT, explain } from './exit.js';
import { UsageError, type Options } from './options/options.js';
import { parseOptions } from './options/parse.js';
import { expectWritable } from './options/writable.js';
import { renderHelp } from './options/help.js';
import { baseTable, groupTable, lineName, peerTable } from './output/comparisons.js';
import { percent, significant } from './output/format.js';
import { progressOn } from './output/progress.js';
import { renderReport } from './output/report/page.js';
import { hasErrors, RESULTS, type Results } from './output/results.js';
import { legend, RowsTable } from './output/rows-table.js';
import { tableOf } from './output/text-table.js';
import { ProfileFolder } from './profile/folder.js';
import { Run } from './run.js';
import { startTargets } from './targets/start.js';

/**
 * The whole of `npm run bench`.
 * @returns the exit code
 */
export async function benchmark(args: readonly string[]): Promise<number> {
  const output = new ResultOutput();
  try {
    const options = parseOptions(args);
    if (options === 'help') {
      output.write(renderHelp());
      await output.flushed();
      return EXIT.ok;
    }
    await expectWritable({ json: options.jsonFile, report: options.reportFile });
    const base = await readBase(options.compareFile);
    const results = await measure(options, output);
    await write(options, results, base, output);
    await output.flushed();
    return hasErrors(results) ? EXIT.errors : EXIT.ok;
  } catch (error) {
    return explain(error, 'npm run bench -- --help');
  }
}

async function measure(options: Options, output: ResultOutput): Promise<Results> {
  const stopEarly = (): never => process.exit(130);
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  const folder = await mkdtemp(join(tmpdir(), 'ringway-bench-profiles-'));
  const profiles = options.profile ? new ProfileFolder(folder) : undefined;
  try {
    const targets = await startTargets(options, profiles);
    const progress = progressOn(output, new RowsTable(targets.map(({ name }) => name)));
    try {
      for (const { name, description } of targets) output.write(`${name}: ${description}\n`);
      return await new Run(options, targets, profiles, progress).results();
    } finally {
      progress.end();
      await Promise.all(targets.map((target) => target.stop()));
    }
  } finally {
    await removeFolder(folder);
    process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly);
  }
}

async function write(
  { jsonFile, reportFile }: Options,
  results: Results,
  base: Results | undefined,
  output: ResultOutput,
): Promise<void> {
  const sections = [
    legend(results.rows),
    problemLines(results),
    results.warnings,
    peerTable(results),
    groupTable(results),
    base === undefined ? [] : baseTable(results, base),
    profileLines(results),
  ];
  for (const lines of sections) {
    if (lines.length > 0) output.write(`\n${lines.join('\n')}\n`);
  }
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(results, null, 1)}\n`);
  if (reportFile !== undefined) await writeFile(reportFile, renderReport(results, base));
}

function problemLines({ rows }: Results): string[] {
  return rows
    .filter((row) => row.errors > 0)
    .flatMap((row) => [
      `ERRORS in ${lineName(row)} ${row.target}: ${row.errors}`,
      ...row.problems.map((problem) => `  ${problem}`),
    ]);
}

function profileLines({ rows }: Results): string[] {
  return rows.flatMap((row) => {
    const { profile = [] } = row;
    if (profile.length === 0) return [];
    const lines = profile.map(({ name, share, ms }) => [name, percent(share), significant(ms)]);
    return ['', ...tableOf([`${lineName(row)} ${row.target}: self time`, 'share', 'ms'], lines)];
  });
}

async function readBase(path: string | undefined): Promise<Results | undefined> {
  if (path === undefined) return undefined;
  const wrong = (why: string) =>
    new UsageError([`--compare: got ${path}, expected a file that --json wrote: ${why}`]);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw wrong((error as NodeJS.ErrnoException).code ?? 'unreadable');
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw wrong('it is no JSON');
  }
  const parsed = RESULTS.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}
