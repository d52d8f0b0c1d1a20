import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { PUBLIC_FOLDER } from '../../../console/server/page-html.js';

/** Modules of the Monitor's page that need no page. */
async function load<Module>(name: string): Promise<Module> {
  const file = join(PUBLIC_FOLDER, 'pages', 'monitor', name);
  return (await import(pathToFileURL(file).href)) as Module;
}

interface AlertOrder {
  readonly alertsToShow: (
    alerts: readonly Alert[],
    all: boolean,
  ) => { readonly shown: readonly Alert[]; readonly rest: number };
}

interface Alert {
  readonly id: number;
  readonly state: 'firing' | 'pending';
}

interface SeriesModule {
  readonly nameOf: (series: { labels: Readonly<Record<string, string>> }, title: string) => string;
}

describe("the Monitor's page", () => {
  const alert = (id: number, state: Alert['state'] = 'firing'): Alert => ({ id, state });

  it('shows five alerts that fire, and all of them when asked', async () => {
    const { alertsToShow } = await load<AlertOrder>('alert-order.js');
    const alerts = [alert(1), alert(2, 'pending'), ...[3, 4, 5, 6, 7].map((id) => alert(id))];
    const few = alertsToShow(alerts, false);
    expect(few.shown.map(({ id }) => id)).to.deep.equal([1, 3, 4, 5, 6]);
    expect(few.rest).to.equal(2);
    const all = alertsToShow(alerts, true);
    expect(all.shown.map(({ id }) => id)).to.deep.equal([1, 3, 4, 5, 6, 7, 2]);
    expect(all.rest).to.equal(0);
  });

  it('calls quantiles what people call them', async () => {
    const { nameOf } = await load<SeriesModule>('series.js');
    const names = ['0.5', '0.95', '0.99', '0.999'].map((quantile) =>
      nameOf({ labels: { quantile } }, 'Latency'),
    );
    expect(names).to.deep.equal(['p50', 'p95', 'p99', 'p99.9']);
    expect(nameOf({ labels: {} }, 'Latency')).to.equal('Latency');
    expect(nameOf({ labels: { node: 'n1', quantile: '0.99' } }, '')).to.equal('n1 · p99');
  });
});
