import { expect } from 'chai';
import type { HomeView } from '../../console/surfaces/home/surface.js';
import { browserModule } from './support/browser-module.js';
import { startTestBed } from './support/console.js';

type Points = readonly (readonly [number, number | null])[];

interface HourModule {
  readonly lastHour: (rates: Points, shares: Points, stepS: number) => object | null;
}

interface SnippetsModule {
  readonly CLIENTS: readonly {
    readonly id: string;
    readonly text: (connection: object) => string;
  }[];
}

describe('console home', () => {
  it('tells how to connect, as far as that is known', async () => {
    for (const endpoint of [null, 'https://s3.example.com']) {
      const known = endpoint === null ? {} : { s3_public_base: endpoint, s3_region: 'here-1' };
      await using bed = await startTestBed(known);
      const reader = await bed.login('tester3', 'testing3');
      const view = await reader.read<HomeView>('/api/home');
      const region = endpoint === null ? 'us-east-1' : 'here-1';
      expect(view).to.deep.equal({ endpoint, region, access_key: null });
      expect((await bed.client().get('/api/home')).status).to.equal(401);
    }
  });

  it('counts requests and errors of the last hour from rates, and nothing where none is', async () => {
    const { lastHour } = await browserModule<HourModule>('surfaces/home/page/last-hour');
    const rates: Points = [
      [0, null],
      [20, 2],
      [40, 0],
      [60, 1],
    ];
    const shares: Points = [
      [20, 0.5],
      [60, 0],
    ];
    expect(lastHour(rates, shares, 20)).to.deep.equal({
      ...{ requests: 60, errors: 20, measuredS: 60 },
    });
    // A share that is not known is not 0.
    expect(lastHour(rates, [], 20)).to.deep.include({ requests: 60, errors: null });
    expect(lastHour([[0, null]], shares, 20)).to.equal(null);
  });

  it('tells clients the endpoint, the region and the key, and no secret', async () => {
    const { CLIENTS } = await browserModule<SnippetsModule>('surfaces/home/page/snippets');
    expect(CLIENTS.map(({ id }) => id)).to.deep.equal(['aws', 'rclone', 's3cmd', 'boto3']);
    for (const endpoint of ['https://s3.example.com', 'http://127.0.0.1:8000']) {
      for (const { id, text } of CLIENTS) {
        const shown = text({ endpoint, region: 'here-1', accessKey: 'AK"1' });
        const { host } = new URL(endpoint);
        expect(shown, id).to.include(host).and.include('here-1').and.include('YOUR_SECRET_KEY');
        expect(shown, id).to.include(id === 'boto3' ? String.raw`AK\"1` : 'AK"1');
        if (id === 's3cmd') {
          const isSafe = endpoint.startsWith('https:') ? 'True' : 'False';
          expect(shown).to.include(`use_https = ${isSafe}`);
        }
      }
    }
  });
});
