import {
  GRANTS_MAX,
  GROUP_URIS,
  isPermission,
  type Acl,
  type Grant,
  type Grantee,
} from '../rules/acl/acl.js';
import { groupGrantee, unresolvableEmail, userGrantee } from '../rules/acl/grantees.js';
import { S3Error } from '../errors.js';
import { XML_BOUNDS } from './bounds.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { renderOwner } from './owner.js';
import { parseXml, requiredChildText, type XmlElement } from './parse.js';
import { onlyChildren, requiredChild } from './structure.js';

/** `<AccessControlPolicy>`: the ACL in requests and answers. */

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** The answer of GetBucketAcl and GetObjectAcl. Users have no names but their ids. */
export function renderAccessControlPolicy({ owner, grants }: Acl): string {
  let list = '';
  for (const { grantee, permission } of grants) {
    list += `<Grant>${renderGrantee(grantee)}<Permission>${permission}</Permission></Grant>`;
  }
  return xmlDocument(
    `<AccessControlPolicy xmlns="${S3_NAMESPACE}">` +
      renderOwner({ id: owner, displayName: owner }) +
      `<AccessControlList>${list}</AccessControlList></AccessControlPolicy>`,
  );
}

function renderGrantee(grantee: Grantee): string {
  if (grantee.kind === 'group') {
    return `<Grantee ${XSI} xsi:type="Group">${element('URI', GROUP_URIS[grantee.group])}</Grantee>`;
  }
  const { id } = grantee;
  return (
    `<Grantee ${XSI} xsi:type="CanonicalUser">` +
    `${element('ID', id)}${element('DisplayName', id)}</Grantee>`
  );
}

/**
 * The body of PutBucketAcl and PutObjectAcl.
 *
 * @throws S3Error `MalformedACLError` for what is no such document, and for more than 100 grants;
 *   `InvalidArgument` for grantees that cannot be; `UnresolvableGrantByEmailAddress`;
 *   `MaxMessageLengthExceeded`
 */
export function parseAccessControlPolicy(body: Buffer): Acl {
  return malformedAsAcl(() => {
    const root = parseXml(body, 'AccessControlPolicy', XML_BOUNDS.AccessControlPolicy);
    onlyChildren(root, 'Owner', 'AccessControlList');
    const owner = requiredChild(root, 'Owner');
    onlyChildren(owner, 'ID', 'DisplayName');
    const list = requiredChild(root, 'AccessControlList');
    onlyChildren(list, 'Grant');
    if (list.children.length > GRANTS_MAX) throw new S3Error('MalformedACLError');
    return { owner: requiredChildText(owner, 'ID').trim(), grants: list.children.map(parseGrant) };
  });
}

function parseGrant(grant: XmlElement): Grant {
  onlyChildren(grant, 'Grantee', 'Permission');
  const permission = requiredChildText(grant, 'Permission').trim();
  if (!isPermission(permission)) throw new S3Error('MalformedACLError');
  return { grantee: parseGrantee(requiredChild(grant, 'Grantee')), permission };
}

function parseGrantee(grantee: XmlElement): Grantee {
  switch (grantee.attributes.get('type')) {
    case 'CanonicalUser':
      onlyChildren(grantee, 'ID', 'DisplayName');
      return userGrantee(requiredChildText(grantee, 'ID').trim(), 'CanonicalUser/ID');
    case 'Group':
      onlyChildren(grantee, 'URI');
      return groupGrantee(requiredChildText(grantee, 'URI').trim(), 'Group/URI');
    case 'AmazonCustomerByEmail':
      onlyChildren(grantee, 'EmailAddress');
      requiredChildText(grantee, 'EmailAddress');
      throw unresolvableEmail();
    default:
      throw new S3Error('MalformedACLError');
  }
}

/** AWS has a code of its own for malformed ACLs. */
function malformedAsAcl<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'MalformedXML') throw error;
    throw new S3Error('MalformedACLError', undefined, {}, { cause: error });
  }
}
