/** Of every result document. Errors have none. */
export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
