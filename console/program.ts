import { fileURLToPath } from 'node:url';

/** The console as the supervisor starts it, without knowing what is in it. */
export const CONSOLE_PROGRAM = {
  entry: fileURLToPath(new URL('./console-process.js', import.meta.url)),
  environment: {},
} as const;
