import { isMainThread, Worker } from 'node:worker_threads';
import { PROFILE_SIGNAL, PROFILES_VARIABLE } from './constants.js';

/**
 * Loaded into every process of a service that is profiled, ahead of its own program. In a listener
 * the signal starts V8's sampling, and the next one ends it and writes `PID-N.cpuprofile`. A thread
 * does that: a session of the main thread itself shows up in what it samples.
 */

const folder = process.env[PROFILES_VARIABLE];
const isListener = process.argv[1]?.endsWith('/src/processes/listener.js') === true;
if (folder !== undefined && isListener && isMainThread) {
  const sampler = new Worker(new URL('./sampler.js', import.meta.url), { workerData: folder });
  sampler.unref();
  process.on(PROFILE_SIGNAL, () => {
    sampler.postMessage('toggle');
  });
}
