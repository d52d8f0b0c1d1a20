/** The console's clock: that of a browser may be wrong, and the ranges of charts are the console's. */

let aheadMs = 0;

export function setClock(unixS: number) {
  aheadMs = unixS * 1000 - Date.now();
}

/** Unix seconds. */
export const now = () => (Date.now() + aheadMs) / 1000;
