import { ApiError } from '../../../server/api-error.js';
import {
  answerText,
  type ActiveFault,
  type Check,
  type FaultSight,
  type FaultWatch,
  type RepairSight,
} from './fault.js';
import { Holding, type FaultGround } from './ground.js';
import type { LabContainer } from './lab-container.js';
import { bodyOf } from './prober.js';
import type { ObjectRevert } from './reverts.js';

const FIRST = 'first';
const MORE = 'more';

/** A limit on a container of its own: probes go on in theirs. */
export class QuotaFault implements ActiveFault {
  readonly #holding: Holding;
  readonly #body: Buffer;
  #status: number | null = null;
  #refusedS: number | undefined;

  /** @param full - the container that has the limit */
  constructor(
    private readonly full: LabContainer,
    ground: FaultGround,
  ) {
    this.#holding = new Holding(ground);
    this.#body = bodyOf(ground.control.id, FIRST, 1);
  }

  async prepare(): Promise<readonly Check[]> {
    const { container } = this.#holding.ground;
    await container.create('');
    await this.full.create('');
    const status = await this.full.put(FIRST, this.#body);
    return [
      { id: 'written', is_ok: status === 201, text: `A PUT was answered: ${answerText(status)}.` },
    ];
  }

  async inject(): Promise<void> {
    await this.full.requireOurs();
    const { options } = this.#holding.ground;
    const params: ObjectRevert = {
      do: 'clear_quota',
      ...{ store_dir: options.storeDir, hash_conf: options.hashConf },
      ...{ account: this.full.account, container: this.full.name },
    };
    const bytes = String(this.#body.length + 10);
    const revert = { kind: 'chaos.object', params: { ...params } };
    await this.#holding.break([revert], 'fill_quota', () => this.full.setQuota(bytes));
  }

  async observe({ heldS, say }: FaultWatch): Promise<FaultSight> {
    this.#status = await this.full.put(MORE, this.#body);
    if (this.#status === 413 && this.#refusedS === undefined) {
      this.#refusedS = heldS();
      say('PUT over quota was rejected with 413.');
    }
    const note = this.#status === null ? 'no answer' : 'status of the latest PUT beyond the limit';
    return {
      figures: [{ id: 'status', label: 'PUT over quota', value: this.#status, note }],
    };
  }

  async revert(): Promise<boolean> {
    // Through the proxies first: they forget the limit then. The net clears it in any case.
    await this.full.setQuota('').catch(() => undefined);
    return this.#holding.takeBack();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async repair(): Promise<RepairSight> {
    if (this.#refusedS === undefined) {
      throw new ApiError('upstream_error', 'The quota was never enforced.');
    }
    const status = await this.full.put(MORE, this.#body);
    const isWritten = status === 201;
    return {
      is_repaired: isWritten,
      text: isWritten
        ? 'The container accepts objects again.'
        : `A PUT is still answered: ${answerText(status)}.`,
    };
  }

  async clean(): Promise<void> {
    const { container, probeKeys } = this.#holding.ground;
    await this.full.remove([FIRST, MORE]);
    await container.remove(probeKeys);
  }
}
