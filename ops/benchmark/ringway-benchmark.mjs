#!/usr/bin/env node
/**
 * Runs a profile with the project's own harness: the program for the console's `benchmark_bin`.
 *
 *   ringway-benchmark.mjs --profile FILE --out FOLDER
 *
 * Its output is the harness's; in FOLDER it leaves `result.json`, which the console shows, and
 * `harness.json` with all figures. See docs/benchmarks.md.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HARNESS = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));
const EXIT_USAGE = 64;

/** Keys of a profile that are flags of the harness with a value. */
const FLAGS = {
  rows: '--rows',
  slices: '--slices',
  seconds: '--seconds',
  warm_up_s: '--warm-up',
  list_keys: '--list-keys',
  workers: '--workers',
  listeners: '--listeners',
  peers: '--peer',
};

/** @param {string} problem @returns {never} */
function refuse(problem) {
  console.error(`ringway-benchmark: ${problem}`);
  process.exit(EXIT_USAGE);
}

/**
 * @param {string} file
 * @returns {string[]} arguments of the harness
 */
function argumentsOf(file) {
  /** @type {Record<string, unknown>} */
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  const args = ['--bucket', `bench-${randomBytes(4).toString('hex')}`];
  for (const [key, value] of Object.entries(profile)) {
    const flag = FLAGS[/** @type {keyof typeof FLAGS} */ (key)];
    if (['title', 'description', 'target'].includes(key)) continue;
    if (key === 'quick') {
      if (value === true) args.push('--quick');
    } else if (flag === undefined) refuse(`${path.basename(file)}: ${key} is no key of a profile`);
    else args.push(flag, Array.isArray(value) ? value.join(',') : String(value));
  }
  if (profile.target !== 'service') return args;
  const { RINGWAY_S3_ENDPOINT: endpoint, RINGWAY_S3_REGION: region = 'us-east-1' } = process.env;
  if (endpoint === undefined)
    refuse('RINGWAY_S3_ENDPOINT: expected, since the profile is of a service');
  return [...args, '--target', endpoint, '--region', region];
}

/** @param {string} file that the harness wrote */
function resultOf(file) {
  /** @type {import('../../bench/output/results.js').Results} */
  const { rows } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    rows: rows
      .filter(({ slices }) => slices.length > 0)
      .map(({ row, target, bytes, concurrency, slices, errors, latencyMs }) => {
        const ops = slices.reduce((sum, slice) => sum + slice.operations, 0);
        const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
        return {
          op: row,
          target,
          bytes,
          concurrency,
          ops,
          errors,
          ops_per_s: seconds > 0 ? ops / seconds : 0,
          p50_ms: latencyMs?.p50 ?? null,
          p95_ms: latencyMs?.p95 ?? null,
          p99_ms: latencyMs?.p99 ?? null,
        };
      }),
  };
}

const { values } = parseArgs({ options: { profile: { type: 'string' }, out: { type: 'string' } } });
const { profile, out } = values;
if (profile === undefined || out === undefined) refuse('expected --profile FILE --out FOLDER');
if (!existsSync(HARNESS)) refuse('the harness is not built: npm run build');

const file = path.join(out, 'harness.json');
const child = spawn(process.execPath, [HARNESS, ...argumentsOf(profile), '--json', file], {
  stdio: 'inherit',
});
child.once('close', (code) => {
  if (existsSync(file)) {
    writeFileSync(path.join(out, 'result.json'), `${JSON.stringify(resultOf(file), null, 1)}\n`);
  }
  process.exitCode = code ?? 1;
});
