import { fileURLToPath } from 'node:url';
import { UWS_ENVIRONMENT } from '../http/environment.js';

/**
 * The program that serves S3, as the supervisor starts it, without knowing what is in it.
 * uWebSockets reads its limits from the environment at load: they have to be there before.
 */
export const LISTENER_PROGRAM = {
  entry: fileURLToPath(new URL('../listener.js', import.meta.url)),
  environment: UWS_ENVIRONMENT,
} as const;
