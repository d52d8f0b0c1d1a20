import type { RepairDebt } from '../../src/telemetry/console-metrics.js';
import type { ConsoleContext } from './context.js';
import type { Surface, SurfaceService, SurfaceTypes } from './surface.js';

/** The surfaces of a console with the services of those that are on. */
export class OpenSurfaces {
  readonly #services = new Map<Surface, SurfaceService>();

  constructor(readonly all: readonly Surface[]) {}

  /** Makes the services. @throws what one of them throws; the others are still to be closed */
  open(context: ConsoleContext): void {
    for (const surface of this.all) {
      if (surface.setting?.isOn(context.options) === false) continue;
      const service = surface.open?.(context);
      if (service !== undefined) this.#services.set(surface, service);
    }
  }

  /** The service of a surface; undefined where it is off, or has none. */
  service<Types extends SurfaceTypes>(surface: Surface<Types>): Types['service'] | undefined {
    return this.#services.get(surface);
  }

  /** Begins the work of all services. @param turn as services have it */
  async begin(turn: () => Promise<boolean>): Promise<void> {
    const all = [...this.#services.values()].map(async (service) => service.begin?.(turn));
    await Promise.all(all);
  }

  repairDebt(): RepairDebt | undefined {
    for (const service of this.#services.values()) {
      const debt = service.repairDebt?.();
      if (debt !== undefined) return debt;
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const service of this.#services.values()) await service.close?.();
  }
}
