import { escapeXml, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

/** The location that AWS writes as an empty element, which clients read as this one. */
const DEFAULT_LOCATION = 'us-east-1';

/** The answer of GetBucketLocation. */
export function renderLocationConstraint(location: string): string {
  const text = location === DEFAULT_LOCATION ? '' : escapeXml(location);
  return xmlDocument(`<LocationConstraint xmlns="${S3_NAMESPACE}">${text}</LocationConstraint>`);
}
