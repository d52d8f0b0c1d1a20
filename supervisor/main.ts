#!/usr/bin/env node
import { LISTENER_PROGRAM } from '../src/process/listener-program.js';
import { run } from './run.js';
import { recoverEmbeddedStore } from './store.js';

process.exit(
  await run(process.argv.slice(2), {
    listener: LISTENER_PROGRAM,
    recoverStore: recoverEmbeddedStore,
  }),
);
