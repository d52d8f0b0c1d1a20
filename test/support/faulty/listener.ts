import { startListener } from '../../../src/processes/listener-service.js';
import { runChild } from '../../../src/processes/child.js';
import { readStoreFaults, withFaults } from './store-faults.js';

/** The listener as it is, over the store that the environment asks for. */
runChild((init) => {
  const faults = readStoreFaults(process.env);
  return startListener(init, (store) => withFaults(store, faults));
});
