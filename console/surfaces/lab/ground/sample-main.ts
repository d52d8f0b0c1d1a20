import path from 'node:path';
import { makeSampleCluster } from './sample-cluster.js';

/**
 * `npm run lab:sample [-- DIR]`: a cluster to learn the Lab with, where there is none. DIR is
 * `lab-sample` where nothing else is said, and must not have anything in it.
 */
const [given = 'lab-sample', ...rest] = process.argv.slice(2);
if (rest.length > 0 || given.startsWith('-')) {
  console.error('usage: npm run lab:sample [-- DIR]');
  process.exit(64);
}
try {
  const folder = path.resolve(given);
  const { objects, deleted, configFile } = await makeSampleCluster(folder, Date.now() / 1000);
  console.log(`a sample of a cluster is in ${folder}: ${objects} objects, ${deleted} deleted ones`);
  console.log('it is made for learning: no server stands behind it');
  console.log(`npm start -- --config ${path.relative('.', configFile)}`);
} catch (error) {
  console.error(`ringway: no sample was made: ${(error as Error).message}`);
  process.exit(73);
}
