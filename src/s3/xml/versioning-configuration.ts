import {
  isVersioningStatus,
  type VersioningState,
  type VersioningStatus,
} from '../rules/versioning.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { optionalChildText, parseXml, type XmlElement } from './parse.js';
import { onlyChildren } from './structure.js';

/**
 * The body of PutBucketVersioning.
 *
 * @throws S3Error `MalformedXML`; `IllegalVersioningConfigurationException` without a status;
 *   `NotImplemented` for MFA delete: a bucket without it is not what was asked for
 */
export function parseVersioningConfiguration(body: Buffer): VersioningStatus {
  const root = parseXml(body, 'VersioningConfiguration', XML_BOUNDS.VersioningConfiguration);
  onlyChildren(root, 'Status', 'MfaDelete');
  refuseMfaDelete(root);
  const status = optionalChildText(root, 'Status')?.trim() ?? '';
  if (status === '') throw new S3Error('IllegalVersioningConfigurationException');
  if (!isVersioningStatus(status)) throw new S3Error('MalformedXML');
  return status;
}

/** The answer of GetBucketVersioning: an empty element of a bucket that never kept versions. */
export function renderVersioningConfiguration(state: VersioningState): string {
  const status = state === 'unversioned' ? '' : element('Status', state);
  return xmlDocument(
    `<VersioningConfiguration xmlns="${S3_NAMESPACE}">${status}</VersioningConfiguration>`,
  );
}

function refuseMfaDelete(root: XmlElement): void {
  const mfaDelete = optionalChildText(root, 'MfaDelete')?.trim() ?? 'Disabled';
  if (mfaDelete === 'Enabled') {
    throw new S3Error(
      'NotImplemented',
      'MfaDelete of a VersioningConfiguration is not implemented.',
    );
  }
  if (mfaDelete !== 'Disabled') throw new S3Error('MalformedXML');
}
