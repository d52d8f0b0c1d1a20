import { expect } from 'chai';
import {
  readiness,
  isUp,
  renderReadiness,
  type ChildHealth,
  type HealthInput,
} from '../../supervisor/health.js';

const WELL = { checks: [{ name: 'backend', ok: true }], at: 1000 };
const SICK = { checks: [{ name: 'backend', ok: false, detail: 'no answer' }], at: 1000 };

type Listener = Omit<ChildHealth, 'kind'>;

function input(listeners: readonly Listener[], changes: Partial<HealthInput> = {}) {
  const children = listeners.map((one): ChildHealth => ({ kind: 'listener', ...one }));
  return { phase: 'running', children, probeIntervalMs: 500, now: 2000, ...changes } as const;
}

describe('supervisor: readiness', () => {
  const up = { worker: 1, state: 'up', health: WELL } as const;
  const gone = { worker: 2, state: undefined, health: undefined };
  const sick = { ...up, worker: 2, health: SICK };
  const table: readonly (readonly [name: string, HealthInput, state: string])[] = [
    ['one well listener is enough', input([up, gone]), 'ready'],
    ['a sick listener does not matter beside a well one', input([up, sick]), 'ready'],
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

  it('takes a process that stands still for none, as metrics and lists of processes do', () => {
    const at = (now: number) => ({ now, probeIntervalMs: 500 });
    expect(isUp(up, at(2500))).to.equal(true);
    expect(isUp(up, at(2501))).to.equal(false);
    expect(isUp({ ...up, health: SICK }, at(2500))).to.equal(true);
    expect(isUp({ ...up, health: undefined }, at(2501))).to.equal(true);
    expect(isUp({ ...up, state: 'draining' }, at(2500))).to.equal(false);
  });

  it('is ready whatever is wrong with the janitor, and shows it', () => {
    const janitor = { kind: 'janitor', worker: 0 } as const;
    for (const [state, health, line] of [
      ['up', SICK, '[-] janitor backend: failed, no answer (1.0 s ago)'],
      ['up', undefined, '[-] janitor report: failed, none yet'],
      ['starting', undefined, '[-] janitor: failed, starting'],
      [undefined, undefined, '[-] janitor: failed, waits for a restart'],
    ] as const) {
      const { children } = input([up]);
      const all = [...children, { ...janitor, state, health }];
      const found = readiness({ ...input([]), children: all });
      expect(found).to.include({ state: 'ready', ready: true });
      expect(renderReadiness(found)).to.include(`[+] listeners: ok, 1 of 1 up\n`).and.include(line);
    }
  });

  it('lists every check, its age and what is wrong', () => {
    const text = renderReadiness(readiness(input([{ ...up, health: SICK }])));
    expect(text.split('\n')).to.deep.equal([
      '[+] service: ok, running',
      '[+] listeners: ok, 1 of 1 up',
      '[+] listener 1 report: ok (1.0 s ago)',
      '[-] listener 1 backend: failed, no answer (1.0 s ago)',
      'unavailable',
      '',
    ]);
  });
});
