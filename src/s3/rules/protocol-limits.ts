/** Limits that S3 itself sets, and that its clients count on: no configuration changes them. */

/** Entries on a page of objects, versions or uploads: more may be asked for, and means this many. */
export const LISTED_ENTRIES_MAX = 1000;
/** Parts on a page of ListParts, likewise. */
export const LISTED_PARTS_MAX = 1000;
/** Buckets on a page: who asks for more is refused. */
export const LISTED_BUCKETS_MAX = 10_000;
/** Keys of one DeleteObjects. */
export const DELETED_OBJECTS_MAX = 1000;
/** The highest part number, and so the largest number of parts of an upload. */
export const PART_NUMBER_MAX = 10_000;
/** The smallest part of an upload, except for the last. */
export const PART_BYTES_MIN = 5 * 1024 ** 2;

/** The same as Swift tells them at `/info` of its s3api, in the words that it has there. */
export const S3API_INFO: Readonly<Record<string, number | boolean>> = {
  max_bucket_listing: LISTED_ENTRIES_MAX,
  max_parts_listing: LISTED_PARTS_MAX,
  max_upload_part_num: PART_NUMBER_MAX,
  max_multi_delete_objects: DELETED_OBJECTS_MAX,
  allow_multipart_uploads: true,
  min_segment_size: PART_BYTES_MIN,
  // ACLs of buckets and objects always count.
  s3_acl: true,
};
