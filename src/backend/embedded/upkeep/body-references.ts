import { BODY_FOLDERS } from '../layout.js';

/** Ids kept at once: 32 MiB. */
const IDS_MAX = 4 * 1024 * 1024;

/**
 * The ids of the bodies that objects name, to hold what there is against them, in bounded memory: those
 * of as many folders as fit, from `from` on. Who has looked at them goes on with those behind
 * {@link end}, in another pass.
 */
export class BodyReferences {
  #ids: number[] = [];
  #sorted: Float64Array | undefined;
  #end = BODY_FOLDERS;

  constructor(
    readonly from: number,
    private readonly idsMax = IDS_MAX,
  ) {}

  /** The first folder that is left to a further pass. */
  get end(): number {
    return this.#end;
  }

  add(id: number): void {
    if (!this.covers(id)) return;
    this.#ids.push(id);
    while (this.#ids.length > this.idsMax && this.#end - this.from > 1) {
      this.#end = this.from + Math.ceil((this.#end - this.from) / 2);
      this.#ids = this.#ids.filter((one) => this.covers(one));
    }
  }

  /** Whether this pass is about the body. */
  covers(id: number): boolean {
    const folder = id % BODY_FOLDERS;
    return folder >= this.from && folder < this.#end;
  }

  has(id: number): boolean {
    const ids = this.#inOrder();
    const at = lowerBound(ids, id);
    return ids[at] === id;
  }

  /** Ids that several objects name. */
  shared(): number[] {
    const ids = this.#inOrder();
    return [...new Set(ids.filter((id, at) => at > 0 && ids[at - 1] === id))];
  }

  #inOrder(): Float64Array {
    if (this.#sorted === undefined) {
      this.#sorted = Float64Array.from(this.#ids).sort();
      this.#ids = [];
    }
    return this.#sorted;
  }
}

function lowerBound(ids: Float64Array, id: number): number {
  let low = 0;
  for (let high = ids.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
