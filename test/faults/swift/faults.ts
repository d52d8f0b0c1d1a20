import type { SwiftLab } from '../../support/swift-lab.js';

/** Something that fails in a cluster. */
export interface Fault {
  readonly title: string;
  readonly inject: (lab: SwiftLab) => Promise<void>;
  /** The operations that must still go well while it lasts. */
  readonly serves: readonly ('get' | 'put')[];
  /** Whether it needs devices of their own, which only root can make. */
  readonly needsDevices?: true;
  /** Tried with `RINGWAY_FAULTS=all` only: the others cover the same code in less time. */
  readonly rare?: true;
}

const kill =
  (name: string) =>
  (lab: SwiftLab): Promise<void> =>
    lab.killServices(name);
const pause =
  (name: string) =>
  (lab: SwiftLab): Promise<void> =>
    lab.pauseServices(name);

const BOTH = ['get', 'put'] as const;

/** The faults of the table in docs/swift.md. */
const FAULTS: readonly Fault[] = [
  {
    title: 'an object server that is killed',
    inject: kill('object-server.node2'),
    serves: BOTH,
  },
  {
    title: 'an object server that does not answer',
    inject: pause('object-server.node1'),
    serves: ['get'],
  },
  {
    title: 'a container server that is down',
    inject: kill('container-server.node1'),
    serves: BOTH,
  },
  {
    title: 'a container server that does not answer',
    inject: pause('container-server.node1'),
    serves: ['get'],
    rare: true,
  },
  {
    title: 'an account server that is down',
    inject: kill('account-server.node1'),
    serves: BOTH,
    rare: true,
  },
  {
    title: 'an account server that does not answer',
    inject: pause('account-server.node1'),
    serves: ['get'],
    rare: true,
  },
  {
    title: 'memcached restarted',
    inject: async (lab) => {
      await lab.killServices('memcached');
      await lab.startServices('memcached');
    },
    serves: BOTH,
  },
  {
    title: 'memcached down',
    inject: kill('memcached'),
    serves: BOTH,
    rare: true,
  },
  {
    title: 'a memcached that does not answer',
    inject: pause('memcached'),
    serves: BOTH,
    rare: true,
  },
  {
    title: 'a proxy that is killed',
    inject: kill('proxy-1'),
    serves: BOTH,
  },
  {
    title: 'a proxy that does not answer',
    inject: pause('proxy-1'),
    serves: BOTH,
    rare: true,
  },
  {
    title: 'a full disk',
    inject: (lab) => lab.fillDevices('d3'),
    serves: BOTH,
    needsDevices: true,
  },
];

/** Those of this run. */
export function chosenFaults(env: NodeJS.ProcessEnv = process.env): readonly Fault[] {
  return env.RINGWAY_FAULTS === 'all' ? FAULTS : FAULTS.filter(({ rare }) => rare !== true);
}
