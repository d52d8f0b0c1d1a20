/** The namespace of every result document. Error documents have none. */
export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/**
 * The namespaces of request documents; '' is none. Real clients differ: AWS's own pages write it in
 * two ways, and some clients leave the last slash out.
 */
export const REQUEST_NAMESPACES: ReadonlySet<string> = new Set([
  '',
  S3_NAMESPACE,
  'http://s3.amazonaws.com/doc/2006-03-01',
  'http://doc.s3.amazonaws.com/2006-03-01/',
  'http://doc.s3.amazonaws.com/2006-03-01',
]);
