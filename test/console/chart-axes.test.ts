import { expect } from 'chai';
import { browserModule } from './support/browser-module.js';

/** The part of console/ui/charts/axes.ts, compiled for browsers, that is used here. */
interface Axes {
  readonly axesOf: (
    points: readonly (readonly [x: number, y: number])[],
    across: object,
    up: object,
    size: { width: number; height: number },
  ) => { readonly shapes: readonly { readonly text?: string }[] };
  readonly TIME_AXIS: object;
}

/** The labels of an axis of times that are so many seconds after a full minute. */
async function labelsOf(...seconds: readonly number[]): Promise<readonly string[]> {
  const axes = await browserModule<Axes>('ui/charts/axes');
  const points = seconds.map((x) => [1_795_731_480 + x, 1] as const);
  const up = { title: 'Debt', format: () => '', exact: () => '' };
  const { shapes } = axes.axesOf(points, axes.TIME_AXIS, up, { width: 600, height: 200 });
  const texts = shapes.flatMap(({ text }) => text ?? []);
  return texts.filter((text) => /\d\d/.test(text));
}

describe('axes of times', () => {
  it('have minutes, and seconds where ticks lie within a minute', async () => {
    for (const text of await labelsOf(0, 3600)) expect(text).to.match(/^\d\d:\d\d$/);
    for (const near of [[0], [0, 20], [0, 1]]) {
      const labels = await labelsOf(...near);
      expect(labels).to.not.deep.equal([]);
      for (const text of labels) expect(text, String(near)).to.match(/^\d\d:\d\d(:\d\d)?$/);
      expect(new Set(labels).size).to.equal(labels.length);
    }
  });
});
