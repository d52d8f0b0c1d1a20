import process from 'node:process';
import fc from 'fast-check';

/**
 * Loaded before all tests (.mocharc.json): property tests draw from the same seed in each run, so
 * that what was green stays so. `RINGWAY_FUZZ_SEED=random` looks further; a failure names the seed
 * and the case, whatever it was drawn from.
 */
const { RINGWAY_FUZZ_SEED: given = '1' } = process.env;

fc.configureGlobal({ seed: given === 'random' ? Date.now() % 2 ** 31 : Number(given) });
