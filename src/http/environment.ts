/**
 * The variables that uWebSockets.js reads once, when its binary is loaded: the parent of a process
 * that serves HTTP sets them before. This file imports nothing, so that the supervisor can know
 * them without loading the library.
 *
 * `UWS_HTTP_MAX_HEADERS_SIZE`: bytes of request line and header block together; the library's own
 * 4096 is less than one presigned URL with a 1024-byte key and session token. The count of headers
 * (98, Host included) is compiled in.
 */
export const UWS_ENVIRONMENT = {
  UWS_HTTP_MAX_HEADERS_SIZE: '65536',
} as const;
