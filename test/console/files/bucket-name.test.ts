import { expect } from 'chai';
import { isValidBucketName } from '../../../src/s3/rules/bucket-name.js';
import { browserModule } from '../support/browser-module.js';

/** The tested part of console/surfaces/files/page/bucket-name.ts, which needs no page. */
interface Module {
  readonly isBucketName: (name: string) => boolean;
}

describe('console files: names of buckets', () => {
  it('are those of S3', async () => {
    const { isBucketName } = await browserModule<Module>('surfaces/files/page/bucket-name');
    const words = ['a', '1', '-', '.', '--', 'A', '_', 'xn--', '-s3alias', '.mrap'];
    const names = ['Bad_Name!', 'silver box', 'photos', '1.2.3.4', '1.2.3', 'a'.repeat(64)];
    let made = [''];
    for (let length = 1; length <= 4; length++) {
      made = made.flatMap((text) => words.map((word) => text + word));
      names.push(...made);
    }
    expect(names.filter((name) => isBucketName(name) !== isValidBucketName(name))).to.deep.equal(
      [],
    );
    expect(names.filter(isValidBucketName).length).to.be.above(100);
  });
});
