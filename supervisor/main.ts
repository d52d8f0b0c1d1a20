#!/usr/bin/env node
import { PARTS } from './deps.js';
import { run } from './run.js';

process.exit(await run(process.argv.slice(2), PARTS));
