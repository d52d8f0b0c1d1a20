/**
 * What S3 requests go through: signatures, rules, operations, the edge.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const S3 = [
  {
    name: 's3/auth: repeated parameters are signed as they were sent',
    file: 'src/s3/auth/canonical-request.ts',
    find: `const index = a[0] === b[0] ? 1 : 0;`,
    replace: `const index = 0;`,
    tests: ['test/s3/auth/parts.test.ts'],
  },
];
