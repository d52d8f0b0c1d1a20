/** The rules of the protocol; each is switched off by a planted bug. */
export const RULES = {
  /** The first index is created only where there is none. */
  firstIndexIsExclusive: true,
  fencesAreExclusive: true,
  /** A reader of the index rolls it forward to its fences. */
  fencesAreFollowed: true,
  /** A writer that loses a fence commits on what that fence leads to. */
  lostFencesAreApplied: true,
  /** No index takes the place of one of a later generation. */
  indexesAreOrdered: true,
  /** No link, and no deletion of one, takes the place of a later generation's. */
  linksAreOrdered: true,
  /** The first link stands behind the creation of the index. */
  firstLinkIsPlaced: true,
  /** A deletion that finds the key empty is one all the same. */
  emptyKeysAreKept: true,
  /** The index of a deletion is stored before the key is emptied. */
  deletionsAreStored: true,
  /** An answer waits for the link. */
  answersWaitForLinks: true,
  answersWaitForDeletions: true,
  /** A link that was created over nothing is compared with the index. */
  createdLinksAreCompared: true,
  /** A page reads the index where the link is listed with a later generation. */
  laterLinksAreNoticed: true,
  /** The first version leaves the place of the index before another index is stored there. */
  firstVersionsAreMoved: true,
  /** The link to a version in that place leads to nothing else there. */
  firstLinksAreFixed: true,
  /** The store puts a link only behind that of the generation before. */
  unseenLinksAreLookedAt: true,
};

export type Rules = Readonly<Record<keyof typeof RULES, boolean>>;
