import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect } from 'chai';
import { SCRIPT_FOLDER } from '../../../console/server/console-folders.js';
import { isValidBucketName } from '../../../src/s3/rules/bucket-name.js';

/** The tested part of console/surfaces/files/page/bucket-name.ts, which needs no page. */
interface Module {
  readonly isBucketName: (name: string) => boolean;
}

describe('console files: names of buckets', () => {
  it('are those of S3', async () => {
    const file = join(SCRIPT_FOLDER, 'surfaces/files/page/bucket-name.js');
    const { isBucketName } = (await import(pathToFileURL(file).href)) as Module;
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
