import { expect } from 'chai';
import type { Document } from '../../../src/s3/xml/document-bytes.js';

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
export const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

/** Documents show it as `2024-02-29T23:59:58.000Z`. */
export const MODIFIED = Date.UTC(2024, 1, 29, 23, 59, 58, 999);

export const OWNER = { id: 'AUTH_test', displayName: 'test & co' };
export const OWNER_XML =
  '<Owner><ID>AUTH_test</ID><DisplayName>test &amp; co</DisplayName></Owner>';
/** {@link OWNER} as the AWS SDK reads it. */
export const SDK_OWNER = { ID: 'AUTH_test', DisplayName: 'test & co' };

/** A golden document: its exact text behind the declaration, broken into lines here only. */
export function expectXml(rendered: Document, ...lines: readonly string[]): void {
  expect(rendered.toString()).to.equal(DECLARATION + lines.join(''));
}
