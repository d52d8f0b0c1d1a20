/**
 * The console.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const CONSOLE = [
  {
    name: 'console/audit: a line behind the last one is none to verify',
    file: 'src/lib/chained-log/verify-chain.ts',
    find: `if (this.problem === undefined && isLonger) {`,
    replace: `if (this.problem !== undefined && isLonger) {`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/audit: a line behind the last one is listed',
    file: 'src/lib/chained-log/chained-log.ts',
    find: `return latestIn(this.files, accepts, max, this.size);`,
    replace: `return latestIn(this.files, accepts, max);`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/uploads: segments get a container where there is none',
    file: 'console/surfaces/files/upload-routes.ts',
    find: `if (status === 404) throw new ApiError('no_such_container', 'The container does not exist.');
  const place`,
    replace: `const place`,
    tests: ['test/console/files/rights.test.ts'],
  },
  {
    name: 'console/files: a browser shows PDF, and runs its scripts',
    file: 'console/surfaces/files/object-body.ts',
    find: `  'text/plain',
`,
    replace: `  'text/plain',
  'application/pdf',
`,
    tests: ['test/console/files/files.test.ts'],
  },
  {
    name: 'deploy/local: the probe of a folder is written through a link',
    file: 'src/deploy/drivers/local.ts',
    find: `await rm(place, { force: true });
  await (await open(place, 'wx', 0o600)).close();`,
    replace: `await (await open(place, 'w', 0o600)).close();`,
    tests: ['test/deploy/runs.test.ts'],
  },
  {
    name: 'deploy/ssh: the probe of a folder is written through a link',
    file: 'src/deploy/drivers/remote-script.ts',
    find: `        os.unlink(place)
    except FileNotFoundError:
        pass
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))`,
    replace: `        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except FileNotFoundError:
        pass`,
    tests: ['test/deploy/ssh.test.ts'],
  },
  {
    name: 'deploy/spec: an option names code for Swift to run',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `if (CODE_OPTIONS.has(option)) {`,
    replace: `if (option === '') {`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'console/users: the new file is written through a link',
    file: 'console/surfaces/users/scripts.ts',
    find: `dd bs=64k status=none oflag=nofollow of="$new"`,
    replace: `dd bs=64k status=none of="$new"`,
    tests: ['test/console/users/scripts.test.ts'],
  },
  {
    name: 'console/search: a pattern may take as long as it likes for a page',
    file: 'console/surfaces/files/search-thread.ts',
    find: `|| performance.now() >= endsAt) break;`,
    replace: `|| performance.now() < 0) break;`,
    tests: ['test/console/files/search.test.ts'],
  },
  {
    name: 'console/search: a page that took too long counts as searched',
    file: 'console/surfaces/files/search.ts',
    find: `if (compared.scanned < compared.rows) throw tooSlow();`,
    replace: ``,
    tests: ['test/console/files/search.test.ts'],
  },
  {
    name: 'lib/durable-file: a file gets its name before it is on the disk',
    file: 'src/lib/durable-file.ts',
    find: `      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);`,
    replace: `    } finally {
      await handle.close();
    }
    await rename(temporary, file);`,
    tests: ['test/lib/durable-file.test.ts'],
  },
  {
    name: 'console/tempurl: a member makes URLs that write',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `await needRight(context, request, 'manage', act, 'Your role does not allow URLs that write.')`,
    replace: `await needRight(context, request, 'write', act, 'Your role does not allow URLs that write.')`,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/presigned: a member makes URLs that write',
    file: 'console/surfaces/files/s3/presigned-routes.ts',
    find: `await needRight(context, request, 'manage', act, NO_WRITES)`,
    replace: `await needRight(context, request, 'write', act, NO_WRITES)`,
    tests: ['test/integration/console-s3-sharing.test.ts'],
  },
  {
    name: 'console/acl: parts stay open to users who may no longer read the container',
    file: 'console/surfaces/files/acl-routes.ts',
    find: `if (status === 404) return;`,
    replace: `if (status === 404 || read === '') return;`,
    tests: ['test/integration/console-s3-sharing.test.ts'],
  },
  {
    name: 'console/tempurl: the life that was asked for is ignored',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `given.expires_in_s ?? options.tempurlDefaultSecs`,
    replace: `options.tempurlDefaultSecs`,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/tempurl: a URL may live for more than a year',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `.max(365 * 86_400)`,
    replace: ``,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/trash: it lives for a tenth of its time',
    file: 'console/surfaces/files/trash.ts',
    find: `const DAY_S = 86_400;`,
    replace: `const DAY_S = 8_640;`,
    tests: ['test/console/files/trash.test.ts'],
  },
  {
    name: 'console/trash: an expiry that has passed is put back',
    file: 'console/surfaces/files/trash.ts',
    find: `deleteAt * 1000 > nowMs ?`,
    replace: `deleteAt > 0 ?`,
    tests: ['test/console/files/trash.test.ts'],
  },
  {
    name: 'console/zip: a file gets the name of a folder that differs in case',
    file: 'console/surfaces/files/zip-names.ts',
    find: `this.#folders.add(folder.slice(0, -1).toLowerCase());`,
    replace: `this.#folders.add(folder.slice(0, -1));`,
    tests: ['test/console/files/zip.test.ts'],
  },
  {
    name: 'console/host: loopback is answered without its port',
    file: 'console/server/hosts.ts',
    find: `...LOOPBACK.map((host) => \`\${host}:\${bind.port}\`),`,
    replace: `...LOOPBACK.flatMap((host) => [host, \`\${host}:\${bind.port}\`]),`,
    tests: ['test/console/server/attacks.test.ts'],
  },
  {
    name: 'console/guard: forged requests are taken',
    file: 'console/server/guard.ts',
    find: `if (changes && !isCsrfToken(session, request.headers['x-csrf-token'])) {`,
    replace: `if (changes && isCsrfToken(session, '')) {`,
    tests: ['test/console/server/session.test.ts', 'test/console/server/attacks.test.ts'],
  },
  {
    name: 'console/guard: pages of others send what a browser would',
    file: 'console/server/guard.ts',
    find: `if (changes && !isSameOrigin(request.headers, request.view)) {`,
    replace: `if (changes && request.view.host === '') {`,
    tests: ['test/console/server/session.test.ts', 'test/console/server/attacks.test.ts'],
  },
  {
    name: 'console/guard: roles do not count',
    file: 'console/server/guard.ts',
    find: `if (!isAllowed) {`,
    replace: `if (access === undefined) {`,
    tests: ['test/console/files/files.test.ts', 'test/console/files/containers.test.ts'],
  },
  {
    name: 'console/guard: surfaces that are off answer',
    file: 'console/server/guard.ts',
    find: `if (gate !== undefined && !features[gate.feature]) throw switchedOff(gate);`,
    replace: ``,
    tests: ['test/console/server/surfaces.test.ts'],
  },
  {
    name: 'console/guard: the right of a surface does not count',
    file: 'console/server/guard.ts',
    find: `[access, gate?.access].every(`,
    replace: `[access].every(`,
    tests: ['test/console/server/surfaces.test.ts'],
  },
  {
    name: 'console/guard: any name is answered',
    file: 'console/server/guard.ts',
    find: `if (!hosts().has(request.view.host)) {`,
    replace: `if (hosts().size === 0) {`,
    tests: ['test/console/server/attacks.test.ts'],
  },
  {
    name: 'console/sessions: they never end',
    file: 'console/server/sessions.ts',
    find: `return this.options.now() >= this.expiresMs(session);`,
    replace: `return this.options.now() >= this.expiresMs(session) + 1e12;`,
    tests: ['test/console/server/session-rules.test.ts', 'test/console/server/session.test.ts'],
  },
  {
    name: 'console/sessions: streams go on when a session ends',
    file: 'console/server/sessions.ts',
    find: `session.ended.abort();`,
    replace: ``,
    tests: ['test/console/server/session-rules.test.ts'],
  },
  {
    name: 'console/login: a network may try a name for ever',
    file: 'console/server/login-limits.ts',
    find: `waitFor(pair, nowMs, WINDOW_MS, TRIES_MAX),`,
    replace: ``,
    tests: ['test/console/server/login-limits.test.ts'],
  },
  {
    name: 'console/login: many networks may try a name without a pause',
    file: 'console/server/login-limits.ts',
    find: `pair.known ? 0 : pauseFor(byName, nowMs),`,
    replace: ``,
    tests: ['test/console/server/login-limits.test.ts'],
  },
  {
    name: 'console/login: failures cost no delay',
    file: 'console/server/login-limits.ts',
    find: `tries.notBeforeMs = this.options.now() + delayMs;`,
    replace: ``,
    tests: ['test/console/server/login-limits.test.ts'],
  },
  {
    name: 'console/login: each address of a network counts by itself',
    file: 'console/server/login-limits.ts',
    find: `.slice(0, 4)`,
    replace: `.slice(0, 8)`,
    tests: ['test/console/server/login-limits.test.ts'],
  },
  {
    name: 'console/audit: records that were altered are not noticed',
    file: 'src/lib/chained-log/verify-chain.ts',
    find: `if (this.#records > 0 && record.prev_sha256 !== this.#head) {`,
    replace: `if (this.#records > 0 && record.prev_sha256 === '') {`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/audit: an end that was cut is not noticed',
    file: 'src/lib/chained-log/verify-chain.ts',
    find: `if (this.problem === undefined && head !== undefined && head !== this.#head) {`,
    replace: `if (this.problem === undefined && head === '') {`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/audit: a record is not on disk when it is acknowledged',
    file: 'src/lib/chained-log/chained-log.ts',
    find: `await this.file.datasync();`,
    replace: ``,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/rights: a member manages',
    file: 'console/server/rights.ts',
    find: `member: ['read', 'write'],`,
    replace: `member: ['read', 'write', 'manage'],`,
    tests: ['test/console/files/files.test.ts', 'test/console/files/containers.test.ts'],
  },
  {
    name: 'console/addresses: a client names its own address',
    file: 'console/server/client-address.ts',
    find: `if (!this.#isTrusted(next)) return address;`,
    replace: ``,
    tests: ['test/console/server/client-address.test.ts'],
  },
  {
    name: 'console/uploads: a session sends as many bodies as it likes',
    file: 'console/server/upload-limits.ts',
    find: `if (count >= max) {`,
    replace: `if (count >= 100 * max) {`,
    tests: ['test/console/files/limit-keys.test.ts'],
  },
  {
    name: 'console/logs: a line takes time that grows with its square',
    file: 'console/surfaces/monitor/logs/redact.ts',
    find: `[/\\b(bearer|basic|negotiate)(\\s+)`,
    replace: `[/(?:[\\w. -]*)\\b(bearer|basic|negotiate)(\\s+)`,
    tests: ['test/console/monitor/logs.test.ts'],
  },
  {
    name: 'console/logs: tokens of the store are shown',
    file: 'console/surfaces/monitor/logs/redact.ts',
    find: `[/\\bAUTH_tk[0-9a-z]+/gi, HIDDEN_SECRET],`,
    replace: ``,
    tests: ['test/console/monitor/logs.test.ts'],
  },
  {
    name: 'console/files: metadata beyond ASCII at an end is sent as it is, and cut',
    file: 'console/surfaces/files/meta-values.ts',
    find: `return isAscii(first + last) ? stored : encodeWords(stored);`,
    replace: `return isAscii(first + last) ? stored : stored;`,
    tests: ['test/console/files/metadata.test.ts'],
  },
  {
    name: 'console/files: metadata that nobody touched is written anew',
    file: 'console/surfaces/files/meta-values.ts',
    find: `return former !== undefined && decodeWords(former) === value ? former : encodeWords(value);`,
    replace: `return former === value && isAscii(value) ? former : encodeWords(value);`,
    tests: ['test/console/files/metadata.test.ts'],
  },
];
