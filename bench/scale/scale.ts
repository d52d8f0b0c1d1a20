import { mkdir, writeFile } from 'node:fs/promises';
import { ResultOutput } from '../../src/lib/result-output.js';
import { EXIT, explain } from '../exit.js';
import { UsageError } from '../options/options.js';
import { expectWritable } from '../options/writable.js';
import { machine } from '../measure/machine.js';
import { studyConnections } from './connections.js';
import { growingKeys } from './growing-keys.js';
import { growingParts } from './growing-parts.js';
import { growingVersions } from './growing-versions.js';
import { sizesUpTo, studyGrowth, type GrowthStudy } from './growth.js';
import { studyListeners } from './listeners.js';
import { parseScaleOptions, renderScaleHelp, type ScaleOptions } from './options.js';
import { ownProcessors } from './processors.js';
import { renderScaleReport, writeCharts } from './report.js';
import { problemsOf, SCALE_SCHEMA, type ScaleResults } from './results.js';
import { studyStorageWorkers } from './storage-workers.js';
import { sectionsOf } from './tables.js';

/**
 * The whole of `npm run bench -- scale`.
 * @returns the exit code
 */
export async function scaleBenchmark(args: readonly string[]): Promise<number> {
  const stopEarly = (): never => process.exit(130);
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  const output = new ResultOutput();
  try {
    const options = parseScaleOptions(args, ownProcessors().length);
    if (options === 'help') {
      output.write(renderScaleHelp());
      await output.flushed();
      return EXIT.ok;
    }
    await expectWritable({ json: options.jsonFile, report: options.reportFile });
    if (options.chartsFolder !== undefined) await makeFolder(options.chartsFolder);
    const results = await study(options);
    const code = await tell(options, results, output);
    await output.flushed();
    return code;
  } catch (error) {
    return explain(error, 'npm run bench -- scale --help');
  }
}

/** @throws UsageError now rather than after half an hour */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError([`--charts: got ${path}, expected a folder that can be made: ${code}`]);
  }
}

/** The results are saved after each study: the whole takes half an hour. */
async function study(options: ScaleOptions): Promise<ScaleResults> {
  const startedAt = new Date();
  const wants = (name: ScaleOptions['studies'][number]) => options.studies.includes(name);
  const results: ScaleResults = {
    schema: SCALE_SCHEMA,
    startedAt: startedAt.toISOString(),
    seconds: 0,
    machine: machine(),
    settings: { slices: options.slices, sliceSeconds: options.seconds },
    ...{ listeners: [], growth: [], held: [] },
  };
  const save = async () => {
    results.seconds = (Date.now() - startedAt.getTime()) / 1000;
    await saveJson(options, results);
  };
  if (wants('listeners')) {
    results.listeners = await studyListeners(options, say);
    await save();
  }
  for (const { name, make, first } of GROWING) {
    if (!wants(name)) continue;
    const sizes = sizesUpTo(first, options[name]);
    results.growth.push(await studyGrowth(make(), sizes, options, say));
    await save();
  }
  if (wants('connections')) {
    results.held = await studyConnections(options, say);
    await save();
  }
  if (wants('storage-workers')) {
    results.storage = await studyStorageWorkers(options, say);
    await save();
  }
  return results;
}

/** The growing subjects, each with its smallest size. */
const GROWING = [
  { name: 'keys', make: growingKeys, first: 1000 },
  { name: 'versions', make: growingVersions, first: 10 },
  { name: 'parts', make: growingParts, first: 10 },
] as const satisfies readonly { name: string; make: () => GrowthStudy; first: number }[];

/** Tells how far the work is; tables go to stdout. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function tell(
  options: ScaleOptions,
  results: ScaleResults,
  output: ResultOutput,
): Promise<number> {
  for (const { title, lines } of sectionsOf(results))
    output.write(`\n${title}\n\n${lines.join('\n')}\n`);
  const problems = problemsOf(results);
  for (const problem of problems) output.write(`\nERRORS in ${problem}\n`);
  const { reportFile, chartsFolder } = options;
  if (reportFile !== undefined) await writeFile(reportFile, renderScaleReport(results));
  if (chartsFolder !== undefined) await writeCharts(results, chartsFolder);
  return problems.length > 0 ? EXIT.errors : EXIT.ok;
}

async function saveJson({ jsonFile }: ScaleOptions, results: ScaleResults): Promise<void> {
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(results, null, 1)}\n`);
}
