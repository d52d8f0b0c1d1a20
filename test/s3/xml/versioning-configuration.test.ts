import { expect } from 'chai';
import {
  parseVersioningConfiguration,
  renderVersioningConfiguration,
} from '../../../src/s3/xml/versioning-configuration.js';
import type { VersioningState } from '../../../src/s3/rules/versioning.js';
import { expectS3Error } from '../support.js';
import { DECLARATION, XMLNS } from './support.js';

function parse(inner: string) {
  return parseVersioningConfiguration(
    Buffer.from(`<VersioningConfiguration ${XMLNS}>${inner}</VersioningConfiguration>`),
  );
}

const RENDERED: readonly (readonly [state: VersioningState, inner: string])[] = [
  ['unversioned', ''],
  ['Enabled', '<Status>Enabled</Status>'],
  ['Suspended', '<Status>Suspended</Status>'],
];

const READ: readonly (readonly [inner: string, status: string])[] = [
  ['<Status>Enabled</Status>', 'Enabled'],
  ['<Status>Suspended</Status>', 'Suspended'],
  ['\n  <Status> Enabled </Status>\n', 'Enabled'],
  ['<Status>Enabled</Status><MfaDelete>Disabled</MfaDelete>', 'Enabled'],
  ['<MfaDelete>Disabled</MfaDelete><Status>Suspended</Status>', 'Suspended'],
];

const REFUSED: readonly (readonly [inner: string, code: string])[] = [
  ['', 'IllegalVersioningConfigurationException'],
  ['<Status/>', 'IllegalVersioningConfigurationException'],
  ['<Status> </Status>', 'IllegalVersioningConfigurationException'],
  ['<MfaDelete>Disabled</MfaDelete>', 'IllegalVersioningConfigurationException'],
  ['<Status>Disabled</Status>', 'MalformedXML'],
  ['<Status>enabled</Status>', 'MalformedXML'],
  ['<Status>unversioned</Status>', 'MalformedXML'],
  ['<Status>Enabled<b/></Status>', 'MalformedXML'],
  ['<Status>Enabled</Status><Status>Enabled</Status>', 'MalformedXML'],
  ['<Status>Enabled</Status><Other/>', 'MalformedXML'],
  ['<Status>Enabled</Status><MfaDelete>true</MfaDelete>', 'MalformedXML'],
  ['<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>', 'NotImplemented'],
];

describe('s3 xml: VersioningConfiguration', () => {
  for (const [state, inner] of RENDERED) {
    it(`is rendered as AWS does: ${state}`, () => {
      expect(renderVersioningConfiguration(state)).to.equal(
        `${DECLARATION}<VersioningConfiguration ${XMLNS}>${inner}</VersioningConfiguration>`,
      );
    });
  }

  for (const [inner, status] of READ) {
    it(`is read: ${inner}`, () => {
      expect(parse(inner)).to.equal(status);
    });
  }

  for (const [inner, code] of REFUSED) {
    it(`is refused with ${code}: ${inner || 'empty'}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }

  it('is refused when it is another document', () => {
    const body = Buffer.from('<Versioning><Status>Enabled</Status></Versioning>');
    expectS3Error(() => parseVersioningConfiguration(body), 'MalformedXML');
  });
});
