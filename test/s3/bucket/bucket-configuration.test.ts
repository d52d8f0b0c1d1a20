import { expect } from 'chai';
import {
  configurationPatch,
  decodeConfiguration,
  storedConfiguration,
} from '../../../src/s3/bucket/configuration.js';

const DOCUMENT = '<?xml version="1.0" encoding="UTF-8"?>\n<A>grüße 😀</A>';

describe('bucket configurations', () => {
  it('come back as they were stored', () => {
    const patch = configurationPatch('cors', DOCUMENT) as Record<string, string>;
    const stored = storedConfiguration({ ...patch, other: 'x' }, 'cors') ?? '';
    expect(decodeConfiguration(stored).toString()).to.equal(DOCUMENT);
  });

  it('are stored as text that any header can carry', () => {
    const [value] = Object.values(configurationPatch('lifecycle', DOCUMENT));
    expect(value).to.match(/^[\x21-\x7e]+$/);
  });

  it('are apart from one another', () => {
    const cors = configurationPatch('cors', DOCUMENT) as Record<string, string>;
    expect(storedConfiguration(cors, 'lifecycle')).to.equal(undefined);
  });

  it('are removed by a patch without a document', () => {
    expect(Object.values(configurationPatch('cors', undefined))).to.deep.equal([null]);
  });
});
