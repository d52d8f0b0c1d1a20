/**
 * The program that runs on a node for the driver `ssh`: Python's standard library alone, which
 * every host of Swift's has. It reads one request, as JSON, and the contents of files behind it;
 * nothing of either is ever a part of a command line. It answers with one line of JSON.
 *
 *     {"act": "look", "root", "paths", "owners"}  → {"files": {path: [sha256, mode, is owned] | null}}
 *     {"act": "install", "root", "run", "files", "deleted", "expected"}
 *                                            → {"changed": n} | {"changed_by_others": path}
 *     {"act": "reload", "commands": [[...], ...]}  → {"said": [...]}
 *
 * Installation is as with the driver `local`: all files are staged, read back and compared, and every
 * folder can be written to, before the first file is replaced. Folders are locked as the console's
 * Users page locks them, from the look at what is replaced until it is.
 */
export const REMOTE_SCRIPT = String.raw`
import contextlib, fcntl, grp, hashlib, json, os, pwd, shutil, stat, subprocess, sys, time

STAGING = '.ringway-deploy'
CHUNK = 1 << 20
LOCK_S = 10


class Refused(Exception):
    pass


class ChangedByOthers(Exception):
    pass


def digest(place):
    found = hashlib.sha256()
    try:
        with open(place, 'rb') as file:
            for chunk in iter(lambda: file.read(CHUNK), b''):
                found.update(chunk)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.hexdigest()


def ids(owner):
    # -1: as it is.
    try:
        return (pwd.getpwnam(owner['user']).pw_uid if owner.get('user') else -1,
                grp.getgrnam(owner['group']).gr_gid if owner.get('group') else -1)
    except KeyError as error:
        raise Refused('there is no such user or group: %s' % error)


def look(request, source):
    files = {}
    for name in request['paths']:
        place = os.path.join(request['root'], name)
        found = digest(place)
        if found is None:
            files[name] = None
            continue
        there = os.lstat(place)
        uid, gid = ids(request['owners'].get(name, {}))
        isOwned = uid in (-1, there.st_uid) and gid in (-1, there.st_gid)
        mode = None if stat.S_ISLNK(there.st_mode) else stat.S_IMODE(there.st_mode)
        files[name] = [found, mode, isOwned]
    return {'files': files}


def stage(place, file, source):
    left = file['size']
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, 'wb') as target:
        while left > 0:
            chunk = source.read(min(CHUNK, left))
            if not chunk:
                raise Refused('the connection ended before all files were there')
            target.write(chunk)
            left -= len(chunk)
        target.flush()
        os.fchown(target.fileno(), *ids(file['owner']))
        os.fchmod(target.fileno(), file['mode'])
        os.fsync(target.fileno())
    if digest(place) != file['sha256']:
        raise Refused(file['path'] + ' was read back with another content than was sent')


def create_anew(place):
    # Others may have put a link there: it is never followed.
    try:
        os.unlink(place)
    except FileNotFoundError:
        pass
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))


def prepare(root, staging, names):
    real = os.path.realpath(root)
    for folder in sorted({os.path.dirname(name) for name in names}):
        place = os.path.join(root, folder)
        os.makedirs(place, 0o755, exist_ok=True)
        found = os.path.realpath(place)
        if found != os.path.join(real, folder):
            raise Refused(folder + ' is a link that leads to ' + found)
        probe = os.path.join(place, STAGING + '.probe')
        staged = os.path.join(staging, 'probe')
        for name in (probe, staged):
            create_anew(name)
        try:
            # What lies on another file system, or is mounted, cannot be renamed to.
            os.rename(staged, probe)
        finally:
            os.unlink(probe)


def sync(folder):
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def locked(folders):
    fds = []
    until = time.monotonic() + LOCK_S
    try:
        for folder in folders:
            fds.append(os.open(folder, os.O_RDONLY))
            while True:
                try:
                    fcntl.flock(fds[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise Refused(folder + ' is locked by another change')
                    time.sleep(0.05)
        yield
    finally:
        for fd in fds:
            os.close(fd)


def refuse_changed(root, expected, files, gone):
    new = {file['path']: file['sha256'] for file in files}
    for name in list(new) + gone:
        found = digest(os.path.join(root, name))
        if name in expected and found not in (None, new.get(name), *expected[name]):
            raise ChangedByOthers(name)


def switch(root, staging, files, gone):
    done = 0
    try:
        for number, file in enumerate(files):
            os.rename(os.path.join(staging, str(number)), os.path.join(root, file['path']))
            done += 1
        for name in gone:
            os.unlink(os.path.join(root, name))
        for folder in sorted({os.path.dirname(name) for name in [f['path'] for f in files] + gone}):
            sync(os.path.join(root, folder))
    except OSError as error:
        raise Refused('%d of %d files were replaced: %s' % (done, len(files), error))


def install(request, source):
    root, files = request['root'], request['files']
    os.makedirs(root, 0o755, exist_ok=True)
    gone = [name for name in request['deleted'] if os.path.lexists(os.path.join(root, name))]
    top = os.path.join(root, STAGING)
    # What a run that was cut off has left is of no use.
    shutil.rmtree(top, ignore_errors=True)
    staging = os.path.join(top, request['run'])
    try:
        # Where a link lies in its place, it fails.
        os.mkdir(top, 0o700)
        os.mkdir(staging, 0o700)
        for number, file in enumerate(files):
            stage(os.path.join(staging, str(number)), file, source)
        names = [file['path'] for file in files] + gone
        prepare(root, staging, names)
        with locked(sorted({os.path.join(root, os.path.dirname(name)) for name in names})):
            refuse_changed(root, request['expected'], files, gone)
            switch(root, staging, files, gone)
    finally:
        # Only its own: a run that came after one that was cut off has its files beside.
        shutil.rmtree(staging, ignore_errors=True)
        try:
            os.rmdir(top)
        except OSError:
            pass
    return {'changed': len(files) + len(gone)}


def reload(request, source):
    said = []
    for command in request['commands']:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=120)
        text = ended.stdout.decode('utf-8', 'replace').strip()[-400:]
        if ended.returncode != 0:
            raise Refused('%s ended with %d: %s' % (' '.join(command), ended.returncode, text))
        said.append(text)
    return {'said': said}


def main():
    source = sys.stdin.buffer
    request = json.loads(source.readline())
    try:
        answer = {'look': look, 'install': install, 'reload': reload}[request['act']](request, source)
    except ChangedByOthers as error:
        answer = {'changed_by_others': str(error)[:1000]}
    except (Refused, OSError, subprocess.SubprocessError) as error:
        answer = {'error': str(error)[:1000]}
    print(json.dumps(answer))


main()
`;
