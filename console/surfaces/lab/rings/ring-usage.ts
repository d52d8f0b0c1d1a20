import { presentDevices } from '../../../../src/ring/device.js';
import type { RingData } from '../../../../src/ring/ring-data.js';
import { disks } from '../../../recon/node-facts.js';
import { placeOf, type ReconClient } from '../../../recon/recon-client.js';

/** How full the devices of a ring are, as recon says it. */
export interface RingUsage {
  readonly devices: number;
  /** Devices of which a server has said it. */
  readonly devices_known: number;
  /**
   * Bytes on all devices, with those that did not answer taken to be as full as the others are; other
   * rings with the same devices are in it. Null where no server says it.
   */
  readonly used_bytes: number | null;
}

const SERVERS_MAX = 64;

/** Asks up to 64 servers of a ring for the usage of their disks. */
export async function ringUsage(ring: RingData, client: ReconClient): Promise<RingUsage> {
  const devices = presentDevices(ring.devices);
  const servers = new Map<string, { readonly ip: string; readonly port: number }>();
  for (const { ip, port } of devices) servers.set(placeOf(ip, port), { ip, port });
  const asked = [...servers].slice(0, SERVERS_MAX);
  const used = new Map<string, number>();
  await Promise.all(
    asked.map(async ([place, { ip, port }]) => {
      const answer = await client.ask(ip, port, 'diskusage');
      if (answer.kind !== 'json') return;
      for (const { device, used_bytes: bytes } of disks(answer.json)) {
        if (bytes !== null) used.set(`${place} ${device}`, bytes);
      }
    }),
  );
  const known = devices.flatMap(({ ip, port, device }) => {
    const bytes = used.get(`${placeOf(ip, port)} ${device}`);
    return bytes === undefined ? [] : [bytes];
  });
  const sum = known.reduce((all, bytes) => all + bytes, 0);
  return {
    devices: devices.length,
    devices_known: known.length,
    used_bytes: known.length === 0 ? null : Math.round((sum * devices.length) / known.length),
  };
}
