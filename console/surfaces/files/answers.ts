import type { AclLists, AclMeaning, PeopleView } from './acl-routes.js';
import type { ContainerDetails } from './container-details.js';
import type { Capabilities, ManyDetails } from './container-life-routes.js';
import type { ContainersPage, ObjectsPage } from './container-routes.js';
import type { ObjectView } from './object-routes.js';
import type { BucketLock } from './s3/bucket-lock.js';
import type { TagsView } from './s3/object-routes.js';
import type { PresignedUrl } from './s3/presigned-routes.js';
import type { CorsVerdict, CorsView, LifecycleView } from './s3/rule-routes.js';
import type { S3Facts } from './s3/s3-facts.js';
import type { S3ObjectView } from './s3/s3-objects.js';
import type { UploadsPage } from './s3/unfinished.js';
import type { SharingView } from './sharing.js';
import type { TempUrl } from './tempurl-routes.js';
import type { TrashView } from './trash-listing.js';
import type { UploadPlanView } from './upload-routes.js';
import type { DeletedPage, VersionsView } from './version-routes.js';

/** What pages read of Files. */
export interface FilesAnswers {
  'GET /api/files/capabilities': Capabilities;
  [containers: `GET /api/files/containers?${string}`]: ContainersPage;
  'POST /api/files/containers/details': ManyDetails;
  [container: `GET /api/files/container?${string}`]: ContainerDetails;
  [acl: `GET /api/files/acl?${string}`]: AclLists;
  'POST /api/files/acl/preview': AclMeaning;
  'GET /api/files/people': PeopleView;
  [lock: `GET /api/files/lock?${string}`]: BucketLock;
  [lifecycle: `GET /api/files/lifecycle?${string}`]: LifecycleView;
  [cors: `GET /api/files/cors?${string}`]: CorsView;
  'POST /api/files/cors/preview': CorsVerdict;
  [unfinished: `GET /api/files/unfinished?${string}`]: UploadsPage;
  [objects: `GET /api/files/objects?${string}`]: ObjectsPage;
  [object: `GET /api/files/object?${string}`]: ObjectView;
  [s3Facts: `GET /api/files/s3/object?${string}`]: S3Facts;
  [tags: `GET /api/files/tags?${string}`]: TagsView;
  [versions: `GET /api/files/versions?${string}`]: VersionsView;
  [deleted: `GET /api/files/versions/deleted?${string}`]: DeletedPage;
  [properties: `GET /api/files/versions/properties?${string}`]: S3ObjectView;
  [trash: `GET /api/files/trash?${string}`]: TrashView;
  [sharing: `GET /api/files/sharing?${string}`]: SharingView;
  'POST /api/files/presigned': PresignedUrl;
  'POST /api/files/tempurl': TempUrl;
  'POST /api/files/uploads': UploadPlanView;
  'POST /api/files/zip': { readonly ticket: string };
}
