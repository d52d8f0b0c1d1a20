import type { HttpServer } from '../http/server.js';
import { StartError } from './child.js';

/** @throws StartError `listen` */
export async function listenOrFail(server: HttpServer): Promise<void> {
  try {
    await server.listen();
  } catch (error) {
    throw new StartError('listen', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
