import type { ClusterNode, NodeDriver } from '../../../nodes/driver.js';
import type { FaultControl, Revert } from '../net/fault.js';
import type { ClusterWatch } from './cluster-health.js';
import type { LabContainer } from './lab-container.js';
import type { LocalOptions } from './local-device.js';
import { Passes } from './passes.js';

/** The means of all faults of a run. */
export interface FaultGround {
  /** The net: nothing is broken but through it. */
  readonly control: Pick<FaultControl, 'arm' | 'act' | 'held' | 'revert' | 'id'>;
  /** Undefined without a `node_driver`: then only objects can be damaged. */
  readonly driver: NodeDriver | undefined;
  readonly options: LocalOptions & { readonly storeDir: string; readonly hashConf: string };
  readonly container: LabContainer;
  readonly watch: ClusterWatch;
  /** Seconds for which the fault may be held: see `ttl_s`. */
  readonly ttlS: number;
  /** Names of the objects that probes write. */
  readonly probeKeys: readonly string[];
}

/** The course that faults share: they are armed, done, and taken back, in this order. */
export class Holding {
  readonly passes: Passes;
  #isArmed = false;

  constructor(readonly ground: FaultGround) {
    this.passes = new Passes(ground.driver, ground.options.clusterNodes);
  }

  /** @throws what the net throws: then nothing is broken */
  async break(reverts: readonly Revert[], step: string, work: () => Promise<void>): Promise<void> {
    const { control, ttlS } = this.ground;
    await control.arm(reverts, ttlS);
    this.#isArmed = true;
    await control.act(step, work);
    await control.held();
  }

  /** @returns whether it was this call, and no dead-man before it */
  async takeBack(): Promise<boolean> {
    if (!this.#isArmed) return true;
    const { by } = await this.ground.control.revert();
    return by === 'console';
  }

  /** @throws Error for a node that is not in the roster */
  node(name: string): ClusterNode {
    const node = this.ground.options.clusterNodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }
}
