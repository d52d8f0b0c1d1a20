import { expect } from 'chai';
import type { Role } from '../../../src/s3/auth/principal.js';
import { parseEndpoint } from '../../../src/s3/endpoint.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { authorise, NOTHING_GRANTED, type AccessCheck } from '../../../src/s3/rules/authorise.js';
import { requesterOf } from '../../../src/s3/rules/acl/requester.js';
import { S3Error } from '../../../src/s3/s3-error.js';

const EVERYTHING: AccessCheck = () => Promise.resolve(true);

function contextOf(role: Role, path: string): RequestContext {
  const endpoint = parseEndpoint('GET', path, '');
  const principal = { accessKey: role === 'anonymous' ? '' : 'key', account: 'AUTH_a', role };
  // The rule looks at nothing else.
  return { principal, endpoint } as RequestContext;
}

async function outcome(role: Role, path: string, granted: AccessCheck): Promise<string> {
  try {
    await authorise(contextOf(role, path), granted);
    return 'allowed';
  } catch (error) {
    return error instanceof S3Error ? error.code : String(error);
  }
}

describe('authorise', () => {
  const TABLE: readonly (readonly [Role, path: string, nothing: string, everything: string])[] = [
    ['owner', '/', 'allowed', 'allowed'],
    ['owner', '/bucket/key', 'allowed', 'allowed'],
    ['member', '/', 'AccessDenied', 'allowed'],
    ['member', '/bucket', 'AccessDenied', 'allowed'],
    ['anonymous', '/', 'AccessDenied', 'AccessDenied'],
    ['anonymous', '/bucket', 'AccessDenied', 'allowed'],
    ['anonymous', '/bucket/key', 'AccessDenied', 'allowed'],
  ];

  for (const [role, path, nothing, everything] of TABLE) {
    it(`${role} ${path}: ${nothing} without grants, ${everything} with them`, async () => {
      expect(await outcome(role, path, NOTHING_GRANTED)).to.equal(nothing);
      expect(await outcome(role, path, EVERYTHING)).to.equal(everything);
    });
  }

  it('waits for nothing when an owner asks', () => {
    const asked: AccessCheck = () => {
      throw new Error('asked');
    };
    expect(authorise(contextOf('owner', '/bucket'), asked)).to.equal(undefined);
  });

  it('takes an unsigned request for no user of the account', () => {
    const { principal } = contextOf('anonymous', '/bucket');
    expect(requesterOf(principal)).to.deep.equal({ kind: 'anonymous' });
  });
});
