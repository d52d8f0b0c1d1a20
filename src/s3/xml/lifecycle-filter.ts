import type { LifecycleFilter } from '../rules/lifecycle/configuration.js';
import type { Tag } from '../rules/tagging.js';
import { S3Error } from '../errors.js';
import { element, optionalElement } from './escape.js';
import { optionalChild, optionalChildText, requiredChildText, type XmlElement } from './parse.js';
import { childrenOf, integerOf, onlyChildren } from './structure.js';

/** `<Filter>` of a lifecycle rule, or the `<Prefix>` that stood in its place in version 1. */

export function renderLifecycleFilter(filter: LifecycleFilter): string {
  const predicates =
    optionalElement('Prefix', filter.prefix) +
    filter.tags.map(renderTag).join('') +
    optionalElement('ObjectSizeGreaterThan', filter.sizeGreaterThan?.toFixed()) +
    optionalElement('ObjectSizeLessThan', filter.sizeLessThan?.toFixed());
  if (filter.form === 'prefix') return predicates;
  return `<Filter>${filter.and ? `<And>${predicates}</And>` : predicates}</Filter>`;
}

function renderTag({ key, value }: Tag): string {
  return `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`;
}

/**
 * The filter of a rule: exactly one of the two forms. A `<Filter>` has at most one predicate, and
 * `<And>` at least two.
 *
 * @throws S3Error `MalformedXML`
 */
export function parseLifecycleFilter(rule: XmlElement): LifecycleFilter {
  const prefix = optionalChildText(rule, 'Prefix');
  const filter = optionalChild(rule, 'Filter');
  if ((prefix === undefined) === (filter === undefined)) throw new S3Error('MalformedXML');
  if (filter === undefined) return { form: 'prefix', prefix, tags: [], and: false };
  if (filter.children.length > 1) throw new S3Error('MalformedXML');
  const and = optionalChild(filter, 'And');
  if (and === undefined) return { form: 'filter', ...parsePredicates(filter), and: false };
  if (and.children.length < 2) throw new S3Error('MalformedXML');
  return { form: 'filter', ...parsePredicates(and), and: true };
}

function parsePredicates(parent: XmlElement): Omit<LifecycleFilter, 'form' | 'and'> {
  onlyChildren(parent, 'Prefix', 'Tag', 'ObjectSizeGreaterThan', 'ObjectSizeLessThan');
  const greater = optionalChildText(parent, 'ObjectSizeGreaterThan');
  const less = optionalChildText(parent, 'ObjectSizeLessThan');
  return {
    prefix: optionalChildText(parent, 'Prefix'),
    tags: childrenOf(parent, 'Tag').map(parseTag),
    sizeGreaterThan: greater === undefined ? undefined : integerOf(greater),
    sizeLessThan: less === undefined ? undefined : integerOf(less),
  };
}

function parseTag(tag: XmlElement): Tag {
  onlyChildren(tag, 'Key', 'Value');
  return { key: requiredChildText(tag, 'Key'), value: requiredChildText(tag, 'Value') };
}
