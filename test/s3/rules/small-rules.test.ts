import { expect } from 'chai';
import { checkLocationConstraint } from '../../../src/s3/rules/location-constraint.js';
import { parseStorageClass } from '../../../src/s3/rules/storage-class.js';
import { isVersionId, parseVersionId } from '../../../src/s3/rules/version-id.js';
import { headers, query, s3FailureOf } from '../support.js';

describe('s3 rules: storage class', () => {
  const accepted = ['STANDARD', 'GLACIER'];
  const of = (value: string) => headers({ 'x-amz-storage-class': value });

  it('is STANDARD unless asked for another', () => {
    expect(parseStorageClass(headers({}), accepted)).to.equal('STANDARD');
    expect(parseStorageClass(of('GLACIER'), accepted)).to.equal('GLACIER');
  });

  for (const value of ['STANDARD_IA', 'standard', '', 'GLACIER,STANDARD']) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(s3FailureOf(() => parseStorageClass(of(value), accepted))).to.deep.equal({
        code: 'InvalidStorageClass',
        details: { StorageClassRequested: value },
      });
    });
  }
});

describe('s3 rules: version ids', () => {
  const hex = '0123456789abcdef0123456789abcdef';

  it('are null or 32 lower-case hexadecimal characters', () => {
    expect(isVersionId('null')).to.be.true;
    expect(isVersionId(hex)).to.be.true;
    expect(parseVersionId(query(`versionId=${hex}`))).to.equal(hex);
    expect(parseVersionId(query('versionId=null'))).to.equal('null');
    expect(parseVersionId(query('prefix=a'))).to.equal(undefined);
  });

  for (const value of [
    '',
    'NULL',
    hex.toUpperCase(),
    hex.slice(1),
    `${hex}0`,
    `g${hex.slice(1)}`,
  ]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(s3FailureOf(() => parseVersionId(query(`versionId=${value}`)))).to.deep.equal({
        code: 'InvalidArgument',
        details: { ArgumentName: 'versionId', ArgumentValue: value },
      });
    });
  }
});

describe('s3 rules: location constraint', () => {
  const accepted = { region: 'us-east-1', location: 'dc-west' };

  for (const value of [undefined, '', 'us-east-1', 'dc-west']) {
    it(`accepts ${JSON.stringify(value)}`, () => {
      expect(() => {
        checkLocationConstraint(value, accepted);
      }).not.to.throw();
    });
  }

  for (const [value, code] of [
    ['eu-west-1', 'IllegalLocationConstraintException'],
    ['EU', 'IllegalLocationConstraintException'],
    ['no region', 'InvalidLocationConstraint'],
    ['a'.repeat(64), 'InvalidLocationConstraint'],
  ] as const) {
    it(`refuses ${value}`, () => {
      expect(
        s3FailureOf(() => {
          checkLocationConstraint(value, accepted);
        }),
      ).to.deep.equal({
        code,
        details: { LocationConstraint: value },
      });
    });
  }
});
