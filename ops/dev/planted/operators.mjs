/**
 * What operators rely on in the console and in Deploy: faults that are taken back, nodes that keep what
 * others have changed, and figures that are known.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const OPERATORS = [
  {
    name: 'console/runs: a fault is taken back only where that can be written down',
    file: 'console/server/runs/open-run.ts',
    find: `await journal.write(this.entry).catch(describe);
      await kind.revert`,
    replace: `await journal.write(this.entry);
      await kind.revert`,
    tests: ['test/console/server/run-means.test.ts'],
  },
  {
    name: 'console/runs: a run is not given what it acts with',
    file: 'console/server/runs/open-run.ts',
    find: `this.#control(this.#cut.signal, means)`,
    replace: `this.#control(this.#cut.signal, [means].slice(1))`,
    tests: ['test/console/server/run-means.test.ts'],
  },
  {
    name: 'lab/net: what a full disk has refused is never written down',
    file: 'console/surfaces/lab/net/take-back.ts',
    find: `if (state === 'reverted') onUnwritten(line);`,
    replace: ``,
    tests: ['test/console/lab/net.test.ts'],
  },
  {
    name: 'lab/net: a console that cannot write takes its own work for a dead-man’s',
    file: 'console/surfaces/lab/net/armed-fault.ts',
    find: `reports.get(this.id) ??`,
    replace: ``,
    tests: ['test/console/lab/net.test.ts'],
  },
  {
    name: 'console/compute: what fails is logged nowhere',
    file: 'console/server/compute-thread.ts',
    find: `logger.error({ err: error, computation: name }, 'a computation failed');`,
    replace: `if (name === '') logger.error({ err: error }, 'a computation failed');`,
    tests: ['test/console/server/compute-thread.test.ts'],
  },
  {
    name: 'console/benchmarks: a program is started after the end of the console',
    file: 'console/surfaces/benchmarks/runs.ts',
    find: `if (this.#isClosed) throw new ApiError('busy', 'The console is shutting down.');`,
    replace: ``,
    tests: ['test/console/benchmark-ends.test.ts'],
  },
  {
    name: 'console/benchmarks: a reload ends the one that runs',
    file: 'console/server/start.ts',
    find: `if (await audit.turn()) await benchmarks?.recover();`,
    replace: `if (audit.isOurs || true) await benchmarks?.recover();`,
    tests: ['test/console/benchmark-ends.test.ts'],
  },
  {
    name: 'console/sessions: a login that waits begins with a role that was taken away',
    file: 'console/server/session-routes.ts',
    find: `if (context.sessions.revocations === revocations) return entry;`,
    replace: `if (revocations >= 0) return entry;`,
    tests: ['test/console/server/session-rules.test.ts'],
  },
  {
    name: 'console/users: a change that is stuck loses its journal to the next',
    file: 'console/surfaces/users/user-admin.ts',
    find: `            await this.#settleFormer();
            nodes =`,
    replace: `            nodes =`,
    tests: ['test/console/users/stuck.test.ts'],
  },
  {
    name: 'console/jobs: the audit log is closed before the last records of jobs',
    file: 'console/server/jobs.ts',
    find: `await within(Promise.all(this.#running), limitMs);`,
    replace: `await within(Promise.resolve(), limitMs);`,
    tests: ['test/console/server/jobs.test.ts'],
  },
  {
    name: 'deploy/runs: a run that begins while the service ends is carried out',
    file: 'src/deploy/service/runs.ts',
    find: `this.#cancelled = this.#isClosing;`,
    replace: `this.#cancelled = false;`,
    tests: ['test/deploy/runs.test.ts'],
  },
  {
    name: 'deploy/runs: a key that is sent twice at once is refused',
    file: 'src/deploy/service/runs.ts',
    find: `if (this.#opening?.key === key) await this.#opening.done;`,
    replace: ``,
    tests: ['test/deploy/runs.test.ts'],
  },
  {
    name: 'deploy/install: what others have changed is replaced',
    file: 'src/deploy/service/installer.ts',
    find: `const expected = isRepair ? {} : await`,
    replace: `const expected = isRepair || name !== '' ? {} : await`,
    tests: ['test/deploy/repair.test.ts'],
  },
  {
    name: 'deploy/install: nodes that a run left alone count as changed by others',
    file: 'src/deploy/service/installer.ts',
    find: `(isSame ? former.installed[node] : undefined)`,
    replace: `(isSame ? undefined : former.installed[node])`,
    tests: ['test/deploy/repair.test.ts'],
  },
  {
    name: 'deploy/install: files are replaced while the Users page changes them',
    file: 'src/deploy/drivers/remote-script.ts',
    find: `fcntl.flock(fds[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)`,
    replace: `fcntl.flock(fds[-1], fcntl.LOCK_SH | fcntl.LOCK_UN)`,
    tests: ['test/deploy/this-host.test.ts'],
  },
  {
    name: 'supervisor: a process that stands still is up',
    file: 'supervisor/health.ts',
    find: `(health === undefined || isFresh(health, { now, probeIntervalMs }))`,
    replace: `(health === undefined || now > 0 || probeIntervalMs > 0)`,
    tests: ['test/supervisor/health.test.ts'],
  },
  {
    name: 'console/upstream: no other proxy is tried',
    file: 'console/swift/upstream.ts',
    find: `if (reason === undefined || !this.#endpoints.hasOther(proxy, failed)) return settled(outcome);`,
    replace: `if (reason !== undefined || failed.length === 0) return settled(outcome);`,
    tests: ['test/console/swift/upstream.test.ts'],
  },
  {
    name: 'console/upstream: an upload is begun before there is a connection',
    file: 'console/swift/server.ts',
    find: `    if (!isStream) outgoing.end(body);
`,
    replace: `    if (!isStream) outgoing.end(body);
    else body.pipe(outgoing);
`,
    tests: ['test/console/swift/upstream.test.ts'],
  },
  {
    name: 'monitor/proxies: the first proxy alone is looked at',
    file: 'console/surfaces/monitor/sources/proxy-sampler.ts',
    find: `[storeBase, ...proxyBases]`,
    replace: `[storeBase, ...proxyBases.slice(64)]`,
    tests: ['test/console/monitor/proxies.test.ts'],
  },
  {
    name: 'monitor/recon: folders that are no mounts are lost disks',
    file: 'console/recon/node-probe.ts',
    find: `unmounted: areFolders ? 0 : facts.unmounted(notMounted),`,
    replace: `unmounted: facts.unmounted(notMounted),`,
    tests: ['test/console/monitor/recon.test.ts'],
  },
  {
    name: 'lab/debt: a node that is held down misses nothing',
    file: 'console/surfaces/lab/debt/model.ts',
    find: `const isSilent = !isNodeAway(node) && node.disks === undefined;`,
    replace: `const isSilent = node.online && node.disks === undefined;`,
    tests: ['test/console/lab/debt.test.ts'],
  },
  {
    name: 'lab/debt: the reclaim_age is never the cluster’s',
    file: 'console/surfaces/lab/debt/debt-watch.ts',
    find: `const ageS = await reclaimAgeS(storeDir);`,
    replace: `const ageS = await reclaimAgeS(storeDir.slice(storeDir.length));`,
    tests: ['test/console/lab/debt.test.ts'],
  },
  {
    name: 'lab/tombstones: the gateway’s deletions are the reconciler’s',
    file: 'console/surfaces/lab/tombstones/classify.ts',
    find: `if (newest.timestamp.endsWith('99')) {`,
    replace: `if (newest.timestamp === '') {`,
    tests: ['test/console/lab/tombstones.test.ts'],
  },
  {
    name: 'lab/profilemap: times within others are added up',
    file: 'console/surfaces/lab/profilemap/tree.ts',
    find: `within('root', path.toUpperCase(), root, 2)`,
    replace: `group('root', path.toUpperCase(), root)`,
    tests: ['test/console/lab/profilemap.test.ts'],
  },
  {
    name: 'lab/pulse: figures have digits that no clock tells',
    file: 'console/surfaces/lab/ground/pulse.ts',
    find: `Math.round(1000 * ms) / 1000`,
    replace: `ms`,
    tests: ['test/console/lab/pulse.test.ts'],
  },
  {
    name: 'deploy page: partitions can move again in the past',
    file: 'console/public/pages/deploy/moves-text.js',
    find: `return atS > nowS`,
    replace: `return atS > nowS - 1e9`,
    tests: ['test/console/deploy/moves-text.test.ts'],
  },
];
