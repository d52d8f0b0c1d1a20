import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from '../../server/context.js';
import { changeRoutes } from './change-routes.js';
import { containerRoutes } from './container-routes.js';
import { objectRoutes } from './object-routes.js';
import { searchRoutes } from './search-routes.js';
import { tempurlRoutes } from './tempurl-routes.js';
import { transferRoutes } from './transfer-routes.js';
import { uploadRoutes } from './upload-routes.js';
import { zipRoutes } from './zip-routes.js';

/** The Files surface: names stand in queries and bodies, never in paths. */
export function filesRoutes(app: FastifyInstance, context: ConsoleContext): void {
  containerRoutes(app);
  objectRoutes(app);
  transferRoutes(app, context);
  uploadRoutes(app, context);
  changeRoutes(app, context);
  searchRoutes(app, context);
  tempurlRoutes(app, context);
  zipRoutes(app, context);
}
