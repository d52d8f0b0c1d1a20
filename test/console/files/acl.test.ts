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
      'Anyone may read objects, without a login.',
      'Readers sent by pages of bad.example.com are refused, unless a later rule lets them in.',
      'Readers sent by pages of any host below example.org may read objects, without a login.',
      'User b of account a may read objects and list the container.',
      'All users of account c may read objects and list the container.',
      'Anyone who is logged in may read objects and list the container.',
    ]);
    expect(words('a:b', 'write')).to.deep.equal([
      'User b of account a may upload and delete objects.',
    ]);
  });

  it('warns of what is taken and hardly meant', () => {
    expect(readAcl('.rlistings', 'read').warnings).to.have.length(1);
    expect(readAcl('.r:-a.example,.r:*', 'read').warnings[0]).to.include('The last rule that fits');
    expect(readAcl('*:*', 'write').warnings).to.have.length(1);
    expect(readAcl('.r:*,.rlistings', 'read').warnings).to.deep.equal([]);
  });

  it('knows a public container', () => {
    expect(isPublic('a:b,.r:*')).to.equal(true);
    expect(isPublic('.r:.example.com')).to.equal(false);
  });
});
