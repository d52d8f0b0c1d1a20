import type { ConsoleContext } from '../../server/context.js';
import type { SurfaceService } from '../../server/surface.js';
import { Capsules } from './capsule/capsules.js';
import { ChaosRuns } from './chaos/chaos-runs.js';
import { LabCompute } from './compute/compute.js';
import { DebtWatch } from './debt/debt-watch.js';
import { ExpiredRuns } from './expired/expired-runs.js';
import { GenomeRuns } from './genome/genome-runs.js';
import { LabRings } from './ground/lab-rings.js';
import { Drills } from './node/drills.js';
import { NodeReader } from './ground/node-reader.js';
import { PulseTurn } from './ground/pulse.js';
import { RingAgreements } from './rings/agreement.js';
import { FaultNet } from './net/fault-net.js';
import { StoreInfoCache } from '../../swift/info.js';
import { Museum } from './tombstones/museum.js';
import { ShadowRuns } from './shadow/shadow-runs.js';
import { ProfileMap } from './profilemap/profile-map.js';

/** The services that the pages of the Lab share. */
export class Lab implements SurfaceService {
  readonly rings: LabRings;
  readonly nodes: NodeReader;
  readonly compute: LabCompute;
  readonly genome: GenomeRuns;
  readonly debt: DebtWatch;
  readonly profile: ProfileMap;
  readonly capsules: Capsules;
  readonly expired: ExpiredRuns;
  readonly museum: Museum;
  readonly agreements: RingAgreements;
  readonly shadow: ShadowRuns;
  readonly storeInfo: StoreInfoCache;
  /** The net that keeps faults from staying. */
  readonly net: FaultNet;
  readonly chaos: ChaosRuns;
  readonly drills: Drills;
  /** The one pulse that may go on. */
  readonly pulses: PulseTurn;
  readonly #end = new AbortController();

  constructor({ options, admin, store, now, runs, logger }: ConsoleContext) {
    this.compute = new LabCompute(logger);
    this.rings = new LabRings(options);
    this.storeInfo = new StoreInfoCache(store, now);
    this.nodes = new NodeReader(now);
    this.genome = new GenomeRuns(runs, this.compute, this.rings);
    this.debt = new DebtWatch({ options, rings: this.rings, now });
    this.expired = new ExpiredRuns(runs, now);
    this.shadow = new ShadowRuns(runs, options.shadowRoot, now);
    const passes = () => this.debt.passes;
    this.profile = new ProfileMap({ options, admin, now, passes });
    this.capsules = new Capsules(options.stateDir, this.compute);
    this.museum = new Museum({ options, now, runs, logger });
    this.net = new FaultNet({ options, runs, now, logger });
    const ground = { options, net: this.net, runs, rings: this.rings, nodes: this.nodes, now };
    this.chaos = new ChaosRuns(ground);
    this.drills = new Drills({ options, runs, net: this.net, rings: this.rings, now });
    this.agreements = new RingAgreements(this.rings, now);
    this.pulses = new PulseTurn(this.#end.signal);
  }

  /** Starts what goes on also while no page is open. */
  begin(): void {
    this.debt.start();
    void this.net.recover();
    void this.profile.start();
  }

  repairDebt() {
    return this.debt.recent;
  }

  /** Aborted when the console ends. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.nodes.close();
    this.net.close();
    this.chaos.close();
    this.drills.close();
    this.agreements.close();
    this.profile.close();
    await this.debt.close();
    await Promise.all([this.compute.close(), this.museum.close()]);
  }
}
