import { expect } from 'chai';
import {
  archivePrefix,
  isMarker,
  versioningOf,
} from '../../../console/surfaces/files/versioning.js';

describe('console versioning', () => {
  it('reads who keeps versions from the headers of a container', () => {
    const none = { mode: 'none', active: false, archive: undefined };
    expect(versioningOf({})).to.deep.equal(none);
    expect(versioningOf({ 'x-versions-enabled': 'True' })).to.include({
      mode: 'stack',
      active: true,
    });
    expect(versioningOf({ 'x-versions-enabled': 'False' })).to.include({
      mode: 'stack',
      active: false,
    });
    expect(versioningOf({ 'x-versions-location': 'old%20ones' })).to.include({
      mode: 'archive',
      archive: 'old ones',
    });
    expect(versioningOf({ 'x-history-location': 'h/' })).to.include({
      mode: 'history',
      archive: 'h',
    });
  });

  it('counts the length of archived names in bytes', () => {
    expect(archivePrefix('o')).to.equal('001o/');
    expect(archivePrefix('ü☃')).to.equal('005ü☃/');
    expect(archivePrefix('x'.repeat(1024)).slice(0, 4)).to.equal('400x');
  });

  it('knows a deletion by its type', () => {
    expect(isMarker('application/x-deleted;swift_versions_deleted=1')).to.equal(true);
    expect(isMarker('application/x-deleted')).to.equal(false);
  });
});
