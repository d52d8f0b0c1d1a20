import { call } from '../../../../ui/api.js';
import { bytesText, el } from '../../../../ui/dom.js';
import { field, numberInput } from '../../page/ground.js';
import type { RingUsage } from '../ring-usage.js';

const GIB = 1024 ** 3;
/** The assumption where no server says how full its disks are. */
const ASSUMED_GIB = 1024;

/**
 * How many bytes a ring holds, as something to change: figures in bytes are shares of it. It begins
 * with an assumption, and has what recon says once the servers have answered.
 *
 * @returns `value` in bytes, of all replicas
 */
export function bytesField(ring: string): { node: HTMLElement; value: () => number } {
  const control = numberInput('stored', ASSUMED_GIB, { min: '0', step: 'any' });
  const node = field('Data on devices (GiB)', control);
  const hint = el('span', { className: 'hint', textContent: 'assumed; querying servers…' });
  node.append(hint);
  let isEntered = false;
  // A value of the URL is told as a change.
  for (const event of ['input', 'change'])
    control.addEventListener(event, () => {
      isEntered = true;
    });
  call('GET', `/lab/api/rings/${ring}/usage`)
    .then((answer) => {
      const { used_bytes: used, devices_known: known, devices } = answer as RingUsage;
      if (used === null) throw new Error('no device reports its usage');
      if (!isEntered) control.value = String(Number((used / GIB).toPrecision(4)));
      hint.textContent = `from recon: ${bytesText(used)} on ${known} of ${devices} devices, including other rings`;
    })
    .catch(() => {
      hint.textContent = 'assumed; disk usage is not available';
    });
  return { node, value: () => Math.max(0, Number(control.value)) * GIB };
}
