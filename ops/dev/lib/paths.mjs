import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout, whatever folder the command was given in. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
