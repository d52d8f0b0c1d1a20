import type { Instant } from './operation.js';
import type { Removals } from './removal.js';
import type { Candidates, CurrentRead, Sightings, Snapshot } from './sightings.js';
import type { ViolationKind } from './violation.js';
import { isNull, type KeyWrites, type Write } from './writes.js';

export interface Problem {
  readonly kind: ViolationKind;
  readonly message: string;
}

interface Moment {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** A moment at which some entries were looked for, and those of them that were there. */
interface Look extends Moment {
  readonly asked: (write: Write) => boolean;
  readonly seen: ReadonlySet<Write>;
  /** Every `null` entry was asked for, and there was none. */
  readonly noNull: boolean;
}

/** Whether everything is seen that is there, and nothing that is not: yet, or any more. */
export function findPresenceProblems(
  { writes }: KeyWrites,
  sightings: Sightings,
  removals: Removals,
  seenIsFirm: boolean,
): Problem[] {
  const looks = [...sightings.snapshots.map(lookOfSnapshot), ...looksAtVersions(sightings)];
  for (const write of writes) {
    write.goneBy = removals.goneBy(write, 'doneBy');
    write.goneAtKeyBy = removals.goneBy(write, 'shownBy');
  }
  if (seenIsFirm) for (const look of looks) noteMissing(writes, look);
  return [
    ...findLost(writes, looks, removals),
    ...findMisplacedInTime(sightings),
    ...sightings.currentReads.flatMap((read) => findStale(writes, read, removals)),
  ];
}

function lookOfSnapshot(snapshot: Snapshot): Look {
  const { start, end, label, entries, hasNull } = snapshot;
  return { start, end, label, asked: () => true, seen: new Set(entries.flat()), noNull: !hasNull };
}

function looksAtVersions({ versionReads }: Sightings): Look[] {
  return versionReads.map(({ start, end, label, version, found }) => ({
    ...{ start, end, label },
    asked: (write) => write.version === version,
    seen: new Set(found),
    noNull: version === 'null' && found === undefined,
  }));
}

/** A write that was there before the look, and is not seen in it, does not come back. */
function noteMissing(writes: readonly Write[], look: Look): void {
  for (const write of missingFrom(writes, look)) {
    write.goneBy = Math.min(write.goneBy, look.end);
  }
}

function missingFrom(writes: readonly Write[], { start, asked, seen }: Look): Write[] {
  return writes.filter((write) => write.doneBy < start && asked(write) && !seen.has(write));
}

function findLost(writes: readonly Write[], looks: readonly Look[], removals: Removals): Problem[] {
  const reported = new Set<Write>();
  const problems: Problem[] = [];
  for (const look of looks) {
    for (const write of missingFrom(writes, look)) {
      // Where it is missed first tells: from then on it is known to be gone.
      if (write.goneBy < look.start || reported.has(write)) continue;
      if (removals.mayBeGone(write, look.end)) continue;
      reported.add(write);
      problems.push({ kind: 'lost', message: `${look.label} lacks ${write.label}` });
    }
    if (look.noNull && !removals.mayHaveNoNull(look.start, look.end, 'doneBy')) {
      problems.push({ kind: 'lost', message: `${look.label} lacks any null version` });
    }
  }
  return problems;
}

function findMisplacedInTime({ snapshots, currentReads, versionReads }: Sightings): Problem[] {
  const inList = ({ goneBy }: Write): Instant => goneBy;
  const atKey = ({ goneAtKeyBy }: Write): Instant => goneAtKeyBy;
  return [
    ...snapshots.flatMap((seen) => seen.entries.flatMap((entry) => misplaced(entry, seen, inList))),
    ...versionReads.flatMap((seen) => misplaced(seen.found ?? [], seen, inList)),
    ...currentReads.flatMap((seen) => misplaced(seen.top ?? [], seen, atKey)),
  ];
}

function misplaced(
  candidates: Candidates,
  { start, end, label }: Moment,
  goneByOf: (write: Write) => Instant,
): Problem[] {
  const problems = candidates.map((write): Problem | undefined => {
    const gone = goneByOf(write);
    if (write.start > end) return { kind: 'too-early', message: `${label} shows ${write.label}` };
    if (gone >= start) return undefined;
    return { kind: 'resurrected', message: `${label} shows ${write.label}, gone @${gone}` };
  });
  return onlyIfAll(problems);
}

/** A read of the current version gives one that is newest of all that is surely there. */
function findStale(writes: readonly Write[], read: CurrentRead, removals: Removals): Problem[] {
  const present = writes.filter(
    (write) => write.shownBy < read.start && write.goneAtKeyBy >= read.start,
  );
  if (read.top === undefined) return findHidden(present, read, removals);
  const problems = read.top.map((top) => {
    const newer = present.find(
      (write) =>
        write !== top && write.start > top.doneBy && !removals.mayBeDeleted(write, read.end),
    );
    return newer === undefined
      ? undefined
      : staleRead(`${read.label} gives ${top.label} in spite of ${newer.label}`);
  });
  return onlyIfAll(problems);
}

/** A key of which nothing was found. */
function findHidden(present: readonly Write[], read: CurrentRead, removals: Removals): Problem[] {
  const hidden = present.find((write) => !isNull(write) && !removals.mayBeDeleted(write, read.end));
  if (hidden !== undefined) {
    return [staleRead(`${read.label} finds nothing in spite of ${hidden.label}`)];
  }
  if (removals.mayHaveNoNull(read.start, read.end, 'shownBy')) return [];
  return [staleRead(`${read.label} finds nothing in spite of a null version`)];
}

function staleRead(message: string): Problem {
  return { kind: 'stale-read', message };
}

/** One candidate that is in order is enough. */
function onlyIfAll(problems: readonly (Problem | undefined)[]): Problem[] {
  const [first] = problems;
  return first === undefined || problems.includes(undefined) ? [] : [first];
}
