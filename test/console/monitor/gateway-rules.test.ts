import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { restoreAlerts, saveAlerts } from '../../../console/surfaces/monitor/alerts/alert-file.js';
import type { ActiveAlert } from '../../../console/surfaces/monitor/alerts/evaluator.js';
import { RULES } from '../../../console/surfaces/monitor/alerts/rules.js';
import { SERVER_ERRORS } from '../../../console/surfaces/monitor/panels/gateway.js';
import { panelOf } from '../../../console/surfaces/monitor/panels/panels.js';
import { shippedFiles } from '../../../console/surfaces/monitor/shipped/files.js';
import { failureOf } from '../../support/failure.js';
import { useTempFolder } from '../../support/temp-folder.js';

describe('the state of alerts in its file', () => {
  const [rule] = RULES;
  const alert = (state: ActiveAlert['state'], labels = { node: 'a' }): ActiveAlert => {
    if (rule === undefined) throw new Error('there are no rules');
    return { id: `${rule.name}/${labels.node}`, rule, labels, value: 0, sinceMs: 1000, state };
  };
  const folder = useTempFolder('alerts');

  it('outlives a restart', async () => {
    const alerts = [alert('firing'), alert('pending', { node: 'b' })];
    await saveAlerts(alerts, folder(), 60_000);
    expect(await restoreAlerts(RULES, folder(), 120_000)).to.deep.equal(alerts);
    // The alert that had not fired yet has not been looked at for an hour.
    const later = await restoreAlerts(RULES, folder(), 3_660_000);
    expect(later.map(({ sinceMs }) => sinceMs)).to.deep.equal([1000, 3_660_000]);
  });

  it('begins anew without a file, with another clock, and with other rules', async () => {
    expect(await restoreAlerts(RULES, folder(), 0)).to.deep.equal([]);
    await saveAlerts([alert('firing')], folder(), 60_000);
    expect(await restoreAlerts(RULES, folder(), 59_000)).to.deep.equal([]);
    expect(await restoreAlerts([], folder(), 61_000)).to.deep.equal([]);
    await writeFile(join(folder(), 'monitor-alerts.json'), '{');
    await failureOf(restoreAlerts(RULES, folder(), 0), Error);
  });
});

describe('rules of the gateway', () => {
  for (const [path, text] of Object.entries(shippedFiles())) {
    it(`are shipped, with all that ${path} has: npm run shipped writes it`, () => {
      expect(readFileSync(path, 'utf8')).to.equal(text);
    });
  }

  it('count the same server errors as charts and the dashboard', () => {
    const counted = ['500', '502', '504', '507'];
    const others = ['200', '404', '501', '503', '5000', '1500'];
    expect([...counted, ...others].filter((code) => SERVER_ERRORS.value.test(code))).to.deep.equal(
      counted,
    );
    const places = ['ops/prometheus/alerts.yml', 'ops/grafana/ringway.json', 'docs/metrics.md'];
    for (const place of places) {
      const text = readFileSync(place, 'utf8').replaceAll('\\"', '"');
      const selectors = text.match(/code=~"5[^"]*"(?:, code!~"[^"]*")?/g);
      expect(new Set(selectors), place).to.deep.equal(new Set([SERVER_ERRORS.selector]));
    }
    expect(panelOf('error_ratio')?.promql).to.include(SERVER_ERRORS.selector);
  });
});
