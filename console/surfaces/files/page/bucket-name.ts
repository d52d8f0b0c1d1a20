const LENGTH_MIN = 3;
const LENGTH_MAX = 63;
const SHAPE = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d-])|\.(?=[a-z\d]))*$/;
const IP_ADDRESS = /^\d*(?:\.\d*){3}$/;
const RESERVED = /^(?:xn--|sthree-)|(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/;

/** Whether S3 clients can see a container of this name: see `src/s3/rules/bucket-name.ts`. */
export function isBucketName(name: string) {
  if (name.length < LENGTH_MIN || name.length > LENGTH_MAX) return false;
  return SHAPE.test(name) && !IP_ADDRESS.test(name) && !RESERVED.test(name);
}
