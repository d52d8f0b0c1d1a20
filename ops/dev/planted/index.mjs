import { CONSOLE } from './console.mjs';
import { PROCESS } from './process.mjs';
import { S3 } from './s3.mjs';
import { STORE } from './store.mjs';

/** All planted bugs, by area. */
export const PLANTED = [...S3, ...STORE, ...CONSOLE, ...PROCESS];
