import type { ListedObject } from '../backend/backend.js';
import { S3Error } from '../s3/errors.js';
import {
  listedOutline,
  listedSummary,
  listedVersions,
} from '../s3/versions/listing/index-summary.js';
import {
  archiveContainer,
  parseArchiveName,
  type ArchiveName,
  type VersionedKey,
  requireVersionSupport,
} from '../s3/versions/names.js';
import { versionNameOf, type Leftovers } from '../s3/versions/upkeep/leftovers.js';
import { walkListing, type PassContext } from './pass-context.js';

/** Names of a key that are held in memory: some 200 KiB. */
const NAMES_MAX = 1000;

/** The names of one key, as far as they have been listed. */
interface Group {
  readonly key: string;
  /** Fences that are old enough to be unused. */
  readonly fences: ListedObject[];
  readonly objects: ListedObject[];
  /** Versions of any age. */
  versions: number;
  /** Whether some of the names have been dealt with already. */
  readonly isPart: boolean;
  /** Names that are too young, or that no gateway wrote. */
  others: number;
}

/**
 * Goes through the archive of a bucket for what commits left behind: fences, objects that no index
 * names, indexes without entries; and the archive itself, when it is empty and the bucket is gone.
 *
 * A key's names come together, and its index last, so that one key at a time is held in memory. The
 * index, as it is read then, tells the garbage; the listing spares nearly all such reads.
 */
export class ArchiveWalk {
  #group: Group | undefined;
  #left = 0;

  constructor(
    private readonly pass: PassContext,
    private readonly bucket: string,
    /** Whether the bucket is there. */
    private readonly exists: boolean,
  ) {}

  /**
   * @param reached - told a name when all up to it is settled
   * @throws S3Error `NotImplemented` where the store cannot keep versions: what lies in the archive is
   *   of a gateway that could, and whether anything names it cannot be told without what it kept
   */
  async run(marker: string, reached: (name: string) => void): Promise<void> {
    requireVersionSupport(this.pass.backend.capabilities);
    const { account } = this.pass;
    const container = archiveContainer(account, this.bucket);
    // For names that continue on the next page, a resumed pass sees only the rest.
    await walkListing(this.pass, container, marker, (object) => this.#look(object), reached);
    await this.#closeGroup(undefined);
    if (this.exists || this.#left > 0 || marker !== '') return;
    const target = { account, bucket: this.bucket, key: '', lastModified: 0 };
    await this.pass.executor.carryOut({ action: 'sweep_archive', ...target });
  }

  async #look(object: ListedObject): Promise<void> {
    const name = parseArchiveName(object.name);
    if (name === undefined) {
      this.#left++;
      return;
    }
    if (name.key !== this.#group?.key) await this.#closeGroup(undefined);
    this.#group ??= newGroup(name.key);
    if (name.kind === 'index') return this.#closeGroup(object);
    this.#add(this.#group, name, object);
    if (countOf(this.#group) < NAMES_MAX) return;
    await this.#sweep(this.#group, undefined);
    this.#group = { ...newGroup(name.key), isPart: true };
  }

  #add(group: Group, { kind }: ArchiveName, object: ListedObject): void {
    if (kind === 'version') group.versions++;
    if (!this.#isOld(object)) {
      group.others++;
      return;
    }
    if (kind === 'fence') group.fences.push(object);
    else group.objects.push(object);
  }

  async #closeGroup(index: ListedObject | undefined): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined) return;
    const left = await this.#sweep(group, index);
    if (index === undefined) {
      this.#left += left;
      return;
    }
    const isGoing = left === 0 && !group.isPart && this.#isEmptyAndOld(index);
    if (!isGoing) {
      this.#left++;
      return;
    }
    const { lastModified } = index;
    await this.pass.executor.carryOut({
      action: 'sweep_index',
      ...this.#keyOf(group),
      index,
      lastModified,
    });
  }

  /** @returns how many names of the group stay */
  async #sweep(group: Group, index: ListedObject | undefined): Promise<number> {
    const names = countOf(group) + group.others;
    try {
      const found = await this.#find(group, index);
      const going = [...found.fences, ...found.objects];
      if (going.length === 0) return names;
      await this.pass.executor.carryOut({
        action: 'sweep_versions',
        ...this.#keyOf(group),
        leftovers: found,
        fences: found.fences.length,
        versions: found.objects.length,
        size: going.reduce((sum, { size }) => sum + size, 0),
        lastModified: Math.max(...going.map(({ lastModified }) => lastModified)),
      });
      return names - going.length;
    } catch (error) {
      // An index that cannot be read: nothing of its key is garbage.
      if (!(error instanceof S3Error)) throw error;
      this.pass.unreadable(`${this.bucket}/${group.key}`, error);
      return names;
    }
  }

  async #find(group: Group, index: ListedObject | undefined): Promise<Leftovers> {
    const { versions, call } = this.pass;
    const listed = this.#suspectsOf(group, index);
    if (countOf(listed) === 0) return listed;
    const found = await versions.upkeep.findLeftovers(call, this.#keyOf(group), listed);
    if (found.hasNoIndex !== true || !this.exists) return found;
    // `ringway repair` makes a lost index from what is in the archive, for as long as it is.
    const { versionLostIndexAgeMs } = this.pass.settings;
    const isOld = (object: ListedObject): boolean => this.#isOld(object, versionLostIndexAgeMs);
    const areAllOld = group.versions === group.objects.length && group.objects.every(isOld);
    // When fences go, an empty index takes the place of the lost one, and no version is in it.
    const fences = areAllOld ? found.fences.filter(isOld) : [];
    return { ...found, fences, objects: found.objects.filter(isOld) };
  }

  /** The suspects: names without the versions in the index's listing entry. */
  #suspectsOf(group: Group, index: ListedObject | undefined): Leftovers {
    const { fences, objects, versions, isPart } = group;
    const listed = { generation: 0, fences, objects };
    if (index === undefined || !this.pass.versions.upkeep.isListingEnough) return listed;
    const summary = listedSummary(index);
    if (summary !== undefined) {
      const named = new Set(summary.entries.map(({ name }) => name));
      const orphans = objects.filter((object) => !named.has(versionNameOf(object)));
      return { generation: summary.generation, fences, objects: orphans };
    }
    const outline = listedOutline(index);
    if (outline === undefined || isPart) return listed;
    const isComplete = versions <= outline.versions - outline.deleteMarkers;
    const { generation } = outline;
    return { generation, fences, objects: isComplete ? [] : objects };
  }

  #isEmptyAndOld(index: ListedObject): boolean {
    const { isListingEnough } = this.pass.versions.upkeep;
    return isListingEnough && listedVersions(index) === 0 && this.#isOld(index);
  }

  #isOld({ lastModified }: ListedObject, ageMs = this.pass.settings.versionSweepAgeMs): boolean {
    return lastModified <= this.pass.now() - ageMs;
  }

  #keyOf({ key }: Pick<Group, 'key'>): VersionedKey {
    return { account: this.pass.account, bucket: this.bucket, key };
  }
}

function newGroup(key: string): Group {
  return { key, fences: [], objects: [], versions: 0, isPart: false, others: 0 };
}

function countOf({ fences, objects }: Omit<Leftovers, 'generation'>): number {
  return fences.length + objects.length;
}
