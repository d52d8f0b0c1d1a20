#!/usr/bin/env node
import { benchmark } from './benchmark.js';

process.exit(await benchmark(process.argv.slice(2)));
