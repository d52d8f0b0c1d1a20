/** A rule of the protocol; each is switched off by a planted bug. */
export interface Rules {
  /** The first index is created only where there is none. */
  readonly firstIndexIsExclusive: boolean;
  readonly fencesAreExclusive: boolean;
  /** A reader of the index rolls it forward to its fences. */
  readonly fencesAreFollowed: boolean;
  /** A writer that loses a fence commits on what that fence leads to. */
  readonly lostFencesAreApplied: boolean;
  /** No index takes the place of one of a later generation. */
  readonly indexesAreOrdered: boolean;
  /** No link, and no deletion of one, takes the place of a later generation's. */
  readonly linksAreOrdered: boolean;
  /** The first link stands behind the creation of the index. */
  readonly firstLinkIsPlaced: boolean;
  /** A deletion that finds the key empty is one all the same. */
  readonly emptyKeysAreKept: boolean;
  /** The index of a deletion is stored before the key is emptied. */
  readonly deletionsAreStored: boolean;
  /** An answer waits for the link. */
  readonly answersWaitForLinks: boolean;
  readonly answersWaitForDeletions: boolean;
  /** A link that was created over nothing is compared with the index. */
  readonly createdLinksAreCompared: boolean;
  /** A page reads the index where the link is listed with a later generation. */
  readonly laterLinksAreNoticed: boolean;
  /** The first version leaves the place of the index before another index is stored there. */
  readonly firstVersionsAreMoved: boolean;
  /** The link to a version in that place leads to nothing else there. */
  readonly firstLinksAreFixed: boolean;
  /** The store puts a link only behind that of the generation before. */
  readonly unseenLinksAreLookedAt: boolean;
}

export const RULES: Rules = {
  firstIndexIsExclusive: true,
  fencesAreExclusive: true,
  fencesAreFollowed: true,
  lostFencesAreApplied: true,
  indexesAreOrdered: true,
  linksAreOrdered: true,
  firstLinkIsPlaced: true,
  emptyKeysAreKept: true,
  deletionsAreStored: true,
  answersWaitForLinks: true,
  answersWaitForDeletions: true,
  createdLinksAreCompared: true,
  laterLinksAreNoticed: true,
  firstVersionsAreMoved: true,
  firstLinksAreFixed: true,
  unseenLinksAreLookedAt: true,
};
