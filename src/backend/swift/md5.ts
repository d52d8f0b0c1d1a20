const MD5_HEX = /^[0-9a-f]{32}$/;

/** Whether an ETag looks like an MD5: then it is taken for that of the body. */
export function isMd5(etag: string): boolean {
  return MD5_HEX.test(etag);
}

/** Of no bytes, as every link has it. */
export const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
