#!/usr/bin/env node
import { benchmark } from './benchmark.js';
import { scaleBenchmark } from './scale/scale.js';

const args = process.argv.slice(2);
process.exit(await (args[0] === 'scale' ? scaleBenchmark(args.slice(1)) : benchmark(args)));
