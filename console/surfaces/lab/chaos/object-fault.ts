import { createHash } from 'node:crypto';
import { ApiError } from '../../../server/api-error.js';
import type { Revert } from '../net/fault.js';
import {
  answerText,
  type ActiveFault,
  type Check,
  type FaultSight,
  type FaultWatch,
  type Figure,
  type RepairSight,
} from './fault.js';
import { Holding, type FaultGround } from './ground.js';
import { folderOf, policyIndexOf, type Place } from '../rings/lookup.js';
import { localDevices } from './local-device.js';
import { bodyOf } from './prober.js';
import {
  byteToChange,
  changeByte,
  dataFile,
  hasReplica,
  holdReplica,
  quarantined,
  removeQuarantined,
  type ReplicaPlace,
} from './replica-files.js';
import type { ObjectRevert } from './reverts.js';

/** The object whose copy is damaged: probes never touch it. */
const KEY = 'victim';
/** console.md 7.5. */
const OFFSET = 500;

/** One copy of one object of the Lab, which is changed or taken away on its disk. */
export class ObjectFault implements ActiveFault {
  readonly #holding: Holding;
  readonly #index: number;
  readonly #body: Buffer;
  #copy: { readonly place: ReplicaPlace; readonly at: Place; readonly file: string } | undefined;
  #others: readonly Place[] = [];
  #policyIndex = 0;
  #repairedS: number | undefined;
  #hasAudited = false;

  /** @param target - `replica-<index of the primary>` */
  constructor(
    private readonly fault: 'corrupt_replica' | 'remove_replica',
    target: string,
    private readonly mode: string,
    ground: FaultGround,
  ) {
    this.#holding = new Holding(ground);
    this.#index = Number(/^replica-(\d+)$/.exec(target)?.[1] ?? -1);
    this.#body = bodyOf(ground.control.id, KEY, 1);
  }

  async prepare(): Promise<readonly Check[]> {
    const { container, options } = this.#holding.ground;
    await container.create('');
    const status = await container.put(KEY, this.#body);
    await container.requireOurs();
    const { places, hash, part } = await container.place(KEY);
    const at = places.find(({ index }) => index === this.#index);
    const etag = createHash('md5').update(this.#body).digest('hex');
    const read = await Promise.all(places.map((place) => container.readCopy(KEY, place)));
    const good = read.filter((one) => one === etag).length;
    const checks: Check[] = [
      {
        id: 'written',
        is_ok: status === 201,
        text: `The PUT of the object was answered: ${answerText(status)}.`,
      },
      {
        id: 'copies',
        is_ok: good === places.length && places.length > 1,
        text: `${good} of ${places.length} replicas are intact.`,
      },
    ];
    const device = (await localDevices(options)).find(
      (one) => one.ip === at?.device.ip && one.device === at.device.device,
    );
    if (at === undefined || device === undefined) {
      const text = "That replica is not on a disk of the console's host.";
      return [...checks, { id: 'local', is_ok: false, text }];
    }
    this.#policyIndex = policyIndexOf(container.ringName) ?? 0;
    const place = { device: device.folder, objects: folderOf(container.ringName), part, hash };
    const file = await dataFile(place);
    this.#others = places.filter(({ index }) => index !== this.#index);
    if (file !== undefined) this.#copy = { place, at, file };
    // A replicator remembers a hash only of what it has seen.
    if (this.mode === 'silent') {
      const failure = await this.#pass(at.device.ip, part).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : 'Replicator pass failed.'),
      );
      if (failure !== undefined) checks.push({ id: 'hashed', is_ok: false, text: failure });
    }
    const isThere = file !== undefined;
    const text = isThere
      ? `The replica is on ${device.node}/${device.device}.`
      : 'The replica is not a single data file.';
    return [...checks, { id: 'local', is_ok: isThere, text }];
  }

  async inject(): Promise<void> {
    const { place, file } = this.#known();
    const { control } = this.#holding.ground;
    if (this.fault === 'corrupt_replica') {
      const byte = await byteToChange(file, OFFSET);
      await this.#break({ do: 'restore_byte', byte }, () => changeByte(byte));
      return;
    }
    const { id } = control;
    await this.#break({ do: 'put_back', place, id }, () =>
      holdReplica(place, id, this.mode !== 'silent'),
    );
  }

  /** Daemons pass while it is held, as the fault is about what they do. */
  async observe({ heldS, say, signal }: FaultWatch): Promise<FaultSight> {
    const { place, at } = this.#known();
    const { passes } = this.#holding;
    if (this.#repairedS !== undefined || signal.aborted) {
      return { figures: await this.#figures(), is_over: true };
    }
    const { ip, device } = at.device;
    if (this.fault === 'corrupt_replica' && !this.#hasAudited) {
      const head = await this.#headOfBad();
      say(`HEAD on the corrupted replica: ${head}.`);
      this.#hasAudited = true;
      if (await passes.run('object-auditor', ['-d', device], ip)) {
        const isSeen = await quarantined(place);
        say(
          isSeen
            ? 'The auditor quarantined the replica.'
            : 'The auditor finished a pass without quarantining the replica.',
        );
      } else say("The cluster's auditor has to find it.");
    } else if (!passes.areMissing) {
      let haveAll = true;
      for (const other of new Set(this.#others.map((one) => one.device.ip))) {
        haveAll = (await this.#pass(other, place.part)) && haveAll;
      }
      say(
        haveAll
          ? 'Replicators of the other replicas finished a pass.'
          : 'Replicators of the cluster have to pass: not all can be run from here.',
      );
      if (haveAll && this.mode === 'silent' && !(await hasReplica(place))) {
        say('The replicators did not detect the change. The replica is still missing.');
        return { figures: await this.#figures(), is_over: true };
      }
    }
    if (await this.#isWhole()) {
      this.#repairedS = heldS();
      say('All replicas are intact again.');
    }
    return { figures: await this.#figures(), is_over: this.#repairedS !== undefined };
  }

  revert(): Promise<boolean> {
    return this.#holding.takeBack();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async repair({ say }: FaultWatch): Promise<RepairSight> {
    const { place } = this.#known();
    if (await this.#isWhole()) {
      const seconds = this.#repairedS;
      return {
        is_repaired: true,
        text: 'All replicas are intact.',
        ...(seconds === undefined ? {} : { repaired_s: seconds }),
      };
    }
    const ran = await this.#pass(undefined, place.part);
    if (ran) say('Replicators finished a pass.');
    const text = 'A replica is missing or corrupt.';
    return {
      is_repaired: false,
      text: ran ? text : `${text} Waiting for the cluster's daemons to repair it.`,
    };
  }

  async clean(): Promise<void> {
    const { container, probeKeys } = this.#holding.ground;
    await container.remove([...probeKeys, KEY]);
    if (this.#copy !== undefined) {
      await removeQuarantined(this.#copy.place).catch(() => undefined);
    }
  }

  async #break(params: ObjectRevert, work: () => Promise<void>): Promise<void> {
    const revert: Revert = { kind: 'chaos.object', params: { ...params } };
    await this.#holding.break([revert], this.fault, work);
  }

  /** One pass of the replicators over the partition. @param ip - of one node; undefined for all */
  #pass(ip: string | undefined, part: number): Promise<boolean> {
    const only = ['-p', String(part), '-i', String(this.#policyIndex)];
    return this.#holding.passes.run('object-replicator', only, ip);
  }

  async #isWhole(): Promise<boolean> {
    const { container } = this.#holding.ground;
    const etag = createHash('md5').update(this.#body).digest('hex');
    const { places } = await container.place(KEY);
    // A read of the whole would make the server itself notice what the auditor has to find: the disk
    // is asked first.
    if (!(await this.#isRightOnDisk())) return false;
    const read = await Promise.all(places.map((place) => container.readCopy(KEY, place)));
    return read.every((one) => one === etag);
  }

  async #isRightOnDisk(): Promise<boolean> {
    const file = await dataFile(this.#known().place);
    if (file === undefined) return false;
    const byte = await byteToChange(file, OFFSET);
    return byte.original === this.#body[OFFSET];
  }

  async #figures(): Promise<Figure[]> {
    const { place } = this.#known();
    const isThere = await hasReplica(place);
    const copies = this.#others.length + (isThere ? 1 : 0);
    const note = `of ${this.#others.length + 1}`;
    const bad = this.fault === 'corrupt_replica' && isThere && !(await this.#isRightOnDisk());
    return [
      { id: 'copies', label: 'Replicas on primaries', value: copies, note },
      { id: 'bad', label: 'Corrupt replicas', value: bad ? 1 : 0 },
      { id: 'quarantined', label: 'Quarantined', value: (await quarantined(place)) ? 1 : 0 },
    ];
  }

  async #headOfBad(): Promise<string> {
    const { container } = this.#holding.ground;
    const copies = await container.copies(KEY);
    return copies.find(({ index }) => index === this.#index)?.state ?? 'unknown';
  }

  #known() {
    if (this.#copy !== undefined) return this.#copy;
    throw new ApiError('not_lab_object', 'No replica of a Lab object was found at this location.');
  }
}
