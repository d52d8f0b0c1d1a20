import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from '../../server/context.js';
import { StoreInfoCache } from '../../swift/info.js';
import { aclRoutes } from './acl-routes.js';
import { changeRoutes } from './change-routes.js';
import { containerLifeRoutes } from './container-life-routes.js';
import { containerRoutes } from './container-routes.js';
import { objectRoutes } from './object-routes.js';
import { previewRoutes } from './preview-routes.js';
import { lockRoutes } from './s3/lock-routes.js';
import { rewindRoutes } from './s3/rewind-routes.js';
import { ruleRoutes } from './s3/rule-routes.js';
import { quotaRoutes } from './quota-routes.js';
import { s3ObjectRoutes } from './s3/object-routes.js';
import { unfinishedRoutes } from './s3/unfinished-routes.js';
import { searchRoutes } from './search-routes.js';
import { tempurlRoutes } from './tempurl-routes.js';
import { transferRoutes } from './transfer-routes.js';
import { trashRoutes } from './trash-routes.js';
import { uploadRoutes } from './upload-routes.js';
import { VersionKeepers } from './version-keepers.js';
import { versionRoutes } from './version-routes.js';
import { zipRoutes } from './zip-routes.js';

/** The Files surface: names stand in queries and bodies, never in paths. */
export function filesRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const info = new StoreInfoCache(context.store, context.now);
  const keepers = new VersionKeepers(info, context.now);
  containerRoutes(app, context);
  containerLifeRoutes(app, context, info);
  aclRoutes(app, context);
  quotaRoutes(app, context, info);
  objectRoutes(app, context);
  transferRoutes(app, context, keepers);
  uploadRoutes(app, context);
  changeRoutes(app, context);
  trashRoutes(app, context);
  searchRoutes(app, context);
  tempurlRoutes(app, context, info);
  versionRoutes(app, context, info, keepers);
  lockRoutes(app, context);
  s3ObjectRoutes(app, context);
  rewindRoutes(app, context);
  ruleRoutes(app, context);
  unfinishedRoutes(app, context);
  previewRoutes(app);
  zipRoutes(app, context);
}
