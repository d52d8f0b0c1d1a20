import { expect } from 'chai';
import { checkLocationConstraint } from '../../../src/s3/rules/location-constraint.js';
import { parseStorageClass } from '../../../src/s3/rules/storage-class.js';
import { isVersionId, parseVersionId } from '../../../src/s3/rules/version-id.js';
import { expectInvalidArgument, expectS3Error, headers, query } from '../support.js';

describe('s3 rules: storage class', () => {
  const accepted = ['STANDARD', 'GLACIER'];
  const of = (value: string) => headers({ 'x-amz-storage-class': value });

  it('is STANDARD unless asked for another', () => {
    expect(parseStorageClass(headers({}), accepted)).to.equal('STANDARD');
    expect(parseStorageClass(of('GLACIER'), accepted)).to.equal('GLACIER');
  });

  for (const value of ['STANDARD_IA', 'standard', '', 'GLACIER,STANDARD']) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expectS3Error(() => parseStorageClass(of(value), accepted), 'InvalidStorageClass', {
        StorageClassRequested: value,
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

  const rest = hex.slice(1);
  for (const value of ['', 'NULL', hex.toUpperCase(), rest, `${hex}0`, `g${rest}`]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expectInvalidArgument(() => parseVersionId(query(`versionId=${value}`)), 'versionId', value);
    });
  }
});

describe('s3 rules: location constraint', () => {
  const accepted = { region: 'us-east-1', location: 'dc-west' };

  for (const value of [undefined, '', 'us-east-1', 'dc-west']) {
    it(`accepts ${JSON.stringify(value)}`, () => {
      checkLocationConstraint(value, accepted);
    });
  }

  for (const [value, code] of [
    ['eu-west-1', 'IllegalLocationConstraintException'],
    ['EU', 'IllegalLocationConstraintException'],
    ['no region', 'InvalidLocationConstraint'],
    ['a'.repeat(64), 'InvalidLocationConstraint'],
  ] as const) {
    it(`refuses ${value}`, () => {
      const check = () => {
        checkLocationConstraint(value, accepted);
      };
      expectS3Error(check, code, { LocationConstraint: value });
    });
  }
});
