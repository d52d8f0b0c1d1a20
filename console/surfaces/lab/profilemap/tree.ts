import { p95Of, together, type Timer, type Timers } from './timers.js';

export const PROFILE_PATHS = ['put', 'get', 'replication'] as const;
export type ProfilePath = (typeof PROFILE_PATHS)[number];

/** A part of the cluster, or a stage of one; null is not measured. */
export interface ProfileNode {
  readonly id: string;
  readonly name: string;
  /** Observations; 0 where it is measured and nothing happened. */
  readonly count: number | null;
  readonly total_ms: number | null;
  /** The time of one request or call: of stages that follow each other their sum, of parts that wait
   * for each other that of the outermost. */
  readonly mean_ms: number | null;
  /** The part of `total_ms` that is in none of the children. */
  readonly self_ms: number | null;
  readonly p95_ms: number | null;
  readonly children: readonly ProfileNode[];
}

/** The time of a replicator's last pass on a node, of recon. */
export interface PassTime {
  readonly node: string;
  readonly ms: number | null;
}

/** The stages of the gateway in their order, as people call them (src/telemetry/stage-clock.ts). */
const GATEWAY_STAGES: readonly (readonly [id: string, name: string])[] = [
  ['parse', 'Parse'],
  ['wait', 'Wait for admission'],
  ['auth', 'Verify signature'],
  ['authorise', 'Authorise'],
  ['route', 'Route'],
  ['body_read', 'Read body'],
  ['hash', 'Hash'],
  ['backend_wait', 'Wait for backend'],
  ['render', 'Operation'],
  ['write', 'Write response'],
  ['unattributed', 'Unattributed'],
];

/** The stages of a Swift proxy in their order (ops/swift/ringway_filter/stage_counters.py). */
const FILTER_STAGES: readonly (readonly [id: string, name: string])[] = [
  ['filter', 'Filter'],
  ['middleware', 'Middleware'],
  ['guard', 'Guard'],
  ['proxy_server', 'Proxy server'],
  ['read_body', 'Wait for body'],
  ['send_body', 'Send body'],
];

/** The work of an object server that no release of Swift has timers for. */
const OBJECT_STAGES = ['Open', 'Write', 'Hash', 'Sync', 'Rename', 'Update container'];

/**
 * The architecture with the timers that there are: Proxy, Object, Replicator.
 * @param passes - of replicators, for the path `replication`
 */
export function profileTree(
  path: ProfilePath,
  timers: Timers,
  passes: readonly PassTime[],
): ProfileNode {
  const root =
    path === 'replication'
      ? [replicator(timers, passes)]
      : [proxy(path, timers), objectServer(path.toUpperCase(), timers), replicator(timers, [])];
  // Replicators work beside requests, and in none of them.
  return path === 'replication'
    ? group('root', 'Replication', root)
    : within('root', path.toUpperCase(), root, 2);
}

function proxy(path: 'put' | 'get', timers: Timers): ProfileNode {
  const method = path.toUpperCase();
  // Each measured request has the last stage once.
  const requests = timers.get(`gateway.${path}.unattributed`)?.count;
  const stages = GATEWAY_STAGES.map(([id, name]) =>
    stage(`gateway.${id}`, name, timers.get(`gateway.${path}.${id}`), requests),
  );
  const swift = collected('swift.proxy', `Swift proxy: ${method}`, timers, (name) =>
    new RegExp(`^swift\\.proxy-server\\.object\\.${method}\\.\\d{3}$`).test(name),
  );
  const firstByte = collected('swift.proxy.first-byte', 'Swift proxy: first byte', timers, (name) =>
    new RegExp(`^swift\\.proxy-server\\.object\\.${method}\\.\\d{3}\\.first-byte$`).test(name),
  );
  const parts = FILTER_STAGES.map(([id, name]) =>
    leaf(`swift.proxy.${id}`, name, timers.get(`filter.${path}.${id}`)),
  );
  // The filter measures what is in it; without statsd nothing measures the whole.
  const whole = swift.count === null ? group(swift.id, swift.name, parts) : withParts(swift, parts);
  const gateway = group('gateway', 'Gateway', stages);
  return within('proxy', 'Proxy', [gateway, whole, ...(path === 'get' ? [firstByte] : [])]);
}

function objectServer(method: string, timers: Timers): ProfileNode {
  const whole = timers.get(`swift.object-server.${method}`);
  const container = timers.get('swift.container-server.PUT');
  const children = OBJECT_STAGES.map((name) =>
    leaf(`object.${name.toLowerCase()}`, name, undefined),
  );
  const called = withParts(leaf('object.server', `Object server: ${method}`, whole), children);
  if (method !== 'PUT') return within('object', 'Object', [called]);
  return within('object', 'Object', [
    called,
    leaf('object.container', 'Container server', container),
  ]);
}

function replicator(timers: Timers, passes: readonly PassTime[]): ProfileNode {
  const update = timers.get('swift.object-replicator.partition.update');
  const remove = timers.get('swift.object-replicator.partition.delete');
  const known: ProfileNode[] = passes.map(({ node, ms }) => ({
    ...leaf(`replicator.pass.${node}`, `Replication pass on ${node}`, undefined),
    ...(ms === null ? {} : { count: 1, total_ms: ms, self_ms: ms, mean_ms: ms }),
  }));
  return group('replicator', 'Replicator', [
    leaf('replicator.update', 'Update partition', update),
    leaf('replicator.delete', 'Push and remove handoff partition', remove),
    ...known,
  ]);
}

/** A timer, by the requests that might have been in it: a stage that a request skips is 0 for it. */
function stage(id: string, name: string, timer: Timer | undefined, requests = 0): ProfileNode {
  const whole = leaf(id, name, timer);
  if (timer === undefined || requests === 0) return whole;
  return { ...whole, mean_ms: timer.sumMs / requests };
}

function leaf(id: string, name: string, timer: Timer | undefined): ProfileNode {
  const none = { count: null, total_ms: null, mean_ms: null, self_ms: null, p95_ms: null };
  if (timer === undefined) return { id, name, ...none, children: [] };
  const { count, sumMs: total } = timer;
  const figures = { count, total_ms: total, self_ms: total, p95_ms: p95Of(timer) };
  return { id, name, ...figures, mean_ms: count === 0 ? 0 : total / count, children: [] };
}

function collected(id: string, name: string, timers: Timers, fits: (name: string) => boolean) {
  const found = [...timers].flatMap(([own, timer]) => (fits(own) ? [timer] : []));
  return leaf(id, name, found.length === 0 ? undefined : together(found));
}

/** A part that was measured as a whole, and in stages. */
function withParts(whole: ProfileNode, children: readonly ProfileNode[]): ProfileNode {
  const parts = children.reduce((sum, { total_ms: total }) => sum + (total ?? 0), 0);
  const { total_ms: total } = whole;
  return { ...whole, children, self_ms: total === null ? null : Math.max(0, total - parts) };
}

/**
 * Parts of which each one waits for the next: a gateway for Swift's proxy, that for object servers. The
 * whole takes what the outermost takes that is measured; their sum would count time twice.
 * @param callers - so many of the first children can be the outermost
 */
function within(
  id: string,
  name: string,
  children: readonly ProfileNode[],
  callers = children.length,
): ProfileNode {
  const outermost = children.slice(0, callers).find(({ mean_ms: mean }) => mean !== null);
  const { count = null, total_ms = null, mean_ms = null, p95_ms = null } = outermost ?? {};
  return {
    id,
    name,
    children,
    count,
    total_ms,
    mean_ms,
    p95_ms,
    self_ms: total_ms === null ? null : 0,
  };
}

/** Stages that follow each other. */
function group(id: string, name: string, children: readonly ProfileNode[]): ProfileNode {
  const known = children.filter(({ mean_ms: mean }) => mean !== null);
  const sum = (figure: (node: ProfileNode) => number | null): number | null =>
    known.length === 0 ? null : known.reduce((all, node) => all + (figure(node) ?? 0), 0);
  return {
    ...{ id, name, children, p95_ms: null, self_ms: known.length === 0 ? null : 0 },
    count: known.length === 0 ? null : Math.max(...known.map(({ count }) => count ?? 0)),
    total_ms: sum((node) => node.total_ms),
    mean_ms: sum((node) => node.mean_ms),
  };
}
