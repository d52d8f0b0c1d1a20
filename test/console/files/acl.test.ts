import { expect } from 'chai';
import { isPublic, readAcl, type AclKind } from '../../../console/surfaces/files/acl.js';

describe('console ACLs', () => {
  const kept = (list: string, kind: AclKind = 'read') => readAcl(list, kind).text;
  const problems = (list: string, kind: AclKind = 'read') => readAcl(list, kind).problems;
  const words = (list: string, kind: AclKind = 'read') =>
    readAcl(list, kind).elements.map((element) => element.words);

  it('keeps lists as Swift keeps them (clean_acl)', () => {
    expect(kept('')).to.equal('');
    expect(kept(' a:b , c ,, \n d:e')).to.equal('a:b,c,d:e');
    expect(kept('.referer:*')).to.equal('.r:*');
    expect(kept('.ref : *.example.com')).to.equal('.r:.example.com');
    expect(kept('.referrer: - thief.example.com')).to.equal('.r:-thief.example.com');
    expect(kept('.r:*,.rlistings,.r:*')).to.equal('.r:*,.rlistings');
  });

  it('refuses what Swift refuses, and what no request could ever fit', () => {
    const bad = ['.x:y', '.r', '.r:', '.r:-', '.r:.', '.r:a b', '.r:http://a', ':user', 'a b'];
    for (const list of bad) expect(problems(list), list).to.have.length(1);
    expect(problems('.r:*', 'write')).to.have.length(1);
    expect(problems('.rlistings', 'write')).to.have.length(1);
    expect(problems('a:b,*:*,ü:ß', 'write')).to.deep.equal([]);
  });

  it('says in words what each rule does', () => {
    expect(words('.r:*,.r:-bad.example.com,.r:.example.org,a:b,c,*:*')).to.deep.equal([
      'Anyone can read objects at the store’s address without logging in.',
      'Referrers from bad.example.com are denied unless a later rule allows them.',
      'Referrers from any subdomain of example.org can read objects without logging in.',
      'User b in account a can read objects and list the bucket.',
      'All users in account c can read objects and list the bucket.',
      'Any authenticated user can read objects and list the bucket.',
    ]);
    expect(words('a:b', 'write')).to.deep.equal([
      'User b in account a can upload and delete objects.',
    ]);
  });

  it('warns of what is taken and hardly meant', () => {
    expect(readAcl('.rlistings', 'read').warnings).to.have.length(1);
    expect(readAcl('.r:-a.example,.r:*', 'read').warnings[0]).to.include(
      'The last matching rule applies',
    );
    expect(readAcl('*:*', 'write').warnings).to.have.length(1);
    expect(readAcl('.r:*,.rlistings', 'read').warnings).to.deep.equal([]);
  });

  it('knows a public container', () => {
    expect(isPublic('a:b,.r:*')).to.equal(true);
    expect(isPublic('.r:.example.com')).to.equal(false);
  });
});
