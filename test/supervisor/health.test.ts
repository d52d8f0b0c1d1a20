import { expect } from 'chai';
import { readiness, renderReadiness, type HealthInput } from '../../supervisor/health.js';

const WELL = { checks: [{ name: 'backend', ok: true }], at: 1000 };
const SICK = { checks: [{ name: 'backend', ok: false, detail: 'no answer' }], at: 1000 };

function input(listeners: HealthInput['listeners'], changes: Partial<HealthInput> = {}) {
  return { phase: 'running', listeners, probeIntervalMs: 500, now: 2000, ...changes } as const;
}

describe('supervisor: readiness', () => {
  const up = { worker: 1, state: 'up', health: WELL } as const;
  const table: readonly (readonly [name: string, HealthInput, state: string])[] = [
    [
      'one well listener is enough',
      input([up, { worker: 2, state: undefined, health: undefined }]),
      'ready',
    ],
    [
      'a sick listener does not matter beside a well one',
      input([up, { ...up, worker: 2, health: SICK }]),
      'ready',
    ],
    ['all sick', input([{ ...up, health: SICK }]), 'unavailable'],
    ['none up', input([{ ...up, state: 'starting' }]), 'unavailable'],
    ['no report yet', input([{ ...up, health: undefined }]), 'unavailable'],
    ['a report of three intervals ago', input([up], { now: 2500 }), 'ready'],
    ['an older report is not believed', input([up], { now: 2501 }), 'unavailable'],
    ['while starting', input([up], { phase: 'starting' }), 'starting'],
    ['while draining', input([up], { phase: 'draining' }), 'draining'],
  ];
  for (const [name, given, state] of table) {
    it(`is ${state}: ${name}`, () => {
      expect(readiness(given)).to.include({ state, ready: state === 'ready' });
    });
  }

  it('lists every check, its age and what is wrong', () => {
    const text = renderReadiness(readiness(input([{ ...up, health: SICK }])));
    expect(text).to.equal(
      [
        '[+] service: ok, running',
        '[+] listeners: ok, 1 of 1 up',
        '[+] listener 1 report: ok (1.0 s ago)',
        '[-] listener 1 backend: failed, no answer (1.0 s ago)',
        'unavailable',
        '',
      ].join('\n'),
    );
  });
});
