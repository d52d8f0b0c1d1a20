import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { allDevices } from './layout.mjs';
import { PYTHON, pythonFile } from './programs.mjs';

/** @typedef {import('./state.mjs').LabState} LabState */

/** mkfs.xfs refuses anything smaller. */
export const DEVICE_BYTES_MIN = 300 * 2 ** 20;

const UNMOUNT_TRIES = 50;
const UNMOUNT_RETRY_MS = 100;

/**
 * The place of a new lab's devices: XFS images for a user who may mount them, otherwise plain
 * folders. Folders are enough if files take large extended attributes (XFS, tmpfs); on ext4
 * metadata of more than some 4 KiB fails.
 *
 * @returns {'xfs' | 'plain'}
 */
export function fileSystemFor() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/mkfs.xfs')) return 'plain';
  // Names a free loop device, which in most containers there is none.
  return spawnSync('losetup', ['--find']).status === 0 ? 'xfs' : 'plain';
}

/**
 * The fault of the devices' file system, for the user; undefined when there is none.
 *
 * @param {LabState} lab
 */
export function fileSystemProblem(lab) {
  const [device] = allDevices(lab);
  if (device === undefined) throw new Error('a lab has devices');
  const { status, stderr } = spawnSync(PYTHON, [pythonFile('probe.py'), device.folder], {
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return (
    `files in ${lab.dir} take no large extended attributes (${stderr.trim()}): metadata of more ` +
    'than about 4 KiB will fail. Run as root, with loop devices and xfsprogs, or give a folder on ' +
    'XFS or tmpfs, e.g. --dir /dev/shm/swift-lab'
  );
}

/**
 * Makes the devices that are missing, and mounts those that are not mounted.
 *
 * @param {LabState} lab
 */
export async function mountDevices(lab) {
  await Promise.all(
    allDevices(lab).map(async ({ folder, image }) => {
      mkdirSync(folder, { recursive: true });
      if (lab.fileSystem !== 'xfs' || mountsIn(folder).length > 0) return;
      if (!existsSync(image)) makeImage(image, lab.deviceBytes);
      must('mount', ['-o', 'loop,noatime', image, folder]);
    }),
  );
}

/**
 * @param {string} image path
 * @param {number} bytes
 */
function makeImage(image, bytes) {
  const unfinished = `${image}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  ftruncateSync(file, bytes);
  closeSync(file);
  must('mkfs.xfs', ['-q', '-f', unfinished]);
  renameSync(unfinished, image);
}

/**
 * Unmounts all of a folder's devices, whether or not a lab still knows of them.
 *
 * @param {string} dir
 */
export async function unmountDevices(dir) {
  for (const folder of mountsIn(dir)) {
    // The last process has ended, and the kernel may still be closing its files.
    for (let tries = 1; ; tries++) {
      const { status, stderr } = spawnSync('umount', [folder], { encoding: 'utf8' });
      if (status === 0) break;
      if (tries === UNMOUNT_TRIES) throw new Error(stderr.trim());
      await delay(UNMOUNT_RETRY_MS);
    }
  }
}

/**
 * Mount points that are a folder or lie in it; the kernel writes a blank as `\040`.
 *
 * @param {string} dir
 */
function mountsIn(dir) {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
    .filter((folder) => folder === dir || folder.startsWith(`${dir}/`))
    .reverse();
}

/** Name of the file that takes a full device's room; Swift looks at folders of its own only. */
const FILLER = 'lab-filler';

/**
 * Fills a device, so that its servers answer 507: they keep 1 % free (`fallocate_reserve`).
 *
 * @param {LabState} lab
 * @param {string} name
 * @throws {Error} when the device is a plain folder, whose room is the machine's
 */
export function fillDevice(lab, name) {
  const { folder } = findDevice(lab, name);
  if (lab.fileSystem !== 'xfs') throw new Error('only a device with an XFS image can be filled');
  emptyDevice(lab, name);
  const { bavail, bsize } = statfsSync(folder);
  // A little less than all, which is never to be had.
  const bytes = Math.floor(bavail * bsize * 0.998);
  must('fallocate', ['-l', String(bytes), `${folder}/${FILLER}`]);
}

/**
 * Undoes {@link fillDevice}.
 *
 * @param {LabState} lab
 * @param {string} name
 */
export function emptyDevice(lab, name) {
  rmSync(`${findDevice(lab, name).folder}/${FILLER}`, { force: true });
}

/**
 * @param {LabState} lab
 * @param {string} name
 */
function findDevice(lab, name) {
  const device = allDevices(lab).find((candidate) => candidate.name === name);
  if (device === undefined) throw new Error(`no device ${name}`);
  return device;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function must(command, args) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr.trim()}`);
}
