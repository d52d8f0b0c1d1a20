import type { Derivation, Part } from './panel.js';

/** The series that a query is about, and the time that it looks back. */
export interface QueryScope {
  /** Selector of all series, such as `instance=~"$instance"`; empty for none. */
  readonly selector: string;
  readonly window: string;
}

const EVERYWHERE: QueryScope = { selector: '', window: '5m' };

/** The query for Prometheus that means the same as a derivation. */
export function promqlOf(derivation: Derivation, scope = EVERYWHERE): string {
  switch (derivation.kind) {
    case 'rate':
      return eachPart(derivation.parts, (part) =>
        folded('sum', derivation.by, rateOf(part, scope)),
      );
    case 'share': {
      const all = folded('sum', [], rateOf({ of: derivation.part.of }, scope));
      // Without a sample that fits there is no series of such, and the share is 0.
      const some = `${folded('sum', [], rateOf(derivation.part, scope))} or 0 * ${all}`;
      return `(${some}) / clamp_min(${all}, 1e-9)`;
    }
    case 'quantiles': {
      const { part, by, quantiles } = derivation;
      const buckets = rateOf({ ...part, of: `${part.of}_bucket` }, scope);
      const each = quantiles.map((quantile): [string, string] => [
        String(quantile),
        `histogram_quantile(${quantile}, ${folded('sum', ['le', ...by], buckets)})`,
      ]);
      const [[, only] = ['', '']] = each;
      return each.length === 1 ? only : eachOf('quantile', each);
    }
    case 'gauge': {
      const by = [...(derivation.byHost === true ? ['instance'] : []), ...derivation.by];
      return eachPart(derivation.parts, (part) =>
        folded(derivation.fold, by, seriesOf(part, scope)),
      );
    }
    case 'until':
      return `${folded('min', derivation.by, `${seriesOf(derivation.part, scope)} > 0`)} - time()`;
    case 'age':
      return `time() - (${folded('max', derivation.by, seriesOf(derivation.part, scope))} > 0)`;
  }
}

function seriesOf({ of, where }: Part, { selector }: QueryScope): string {
  const selectors = [selector, where?.selector ?? ''].filter((one) => one !== '');
  return selectors.length === 0 ? of : `${of}{${selectors.join(', ')}}`;
}

function rateOf(part: Part, scope: QueryScope): string {
  return `rate(${seriesOf(part, scope)}[${scope.window}])`;
}

function folded(fold: string, by: readonly string[], series: string): string {
  return by.length === 0 ? `${fold}(${series})` : `${fold} by (${by.join(', ')})(${series})`;
}

/** Several parts are told apart by the one label that each has of its own. */
function eachPart(parts: readonly Part[], query: (part: Part) => string): string {
  const [first] = parts;
  const [label] = Object.keys(first?.labels ?? {});
  if (label === undefined) return first === undefined ? '' : query(first);
  return eachOf(
    label,
    parts.map((part) => [part.labels?.[label] ?? '', query(part)]),
  );
}

/** One expression for several lines, told apart by a label. */
function eachOf(
  label: string,
  lines: readonly (readonly [value: string, expression: string])[],
): string {
  return lines
    .map(([value, expression]) => `label_replace(${expression}, "${label}", "${value}", "", "")`)
    .join(' or ');
}
