import { S3Error } from '../errors.js';
import { optionalChild, type XmlElement } from './parse.js';

/** Checks of structure that the documents of configurations share. */

/** The only child of that name. @throws S3Error `MalformedXML` unless there is exactly one */
export function requiredChild(parent: XmlElement, name: string): XmlElement {
  const child = optionalChild(parent, name);
  if (child === undefined) throw new S3Error('MalformedXML');
  return child;
}

/** @throws S3Error `MalformedXML` when there are children of other names */
export function onlyChildren(parent: XmlElement, ...names: readonly string[]): void {
  for (const { name } of parent.children) {
    if (!names.includes(name)) throw new S3Error('MalformedXML');
  }
}

/** All children of that name, in order. */
export function childrenOf(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child) => child.name === name);
}

/**
 * A decimal integer, possibly negative: whether that makes sense is not a matter of structure.
 * @throws S3Error `MalformedXML` for anything else, and for more than 16 digits
 */
export function integerOf(text: string): number {
  const trimmed = text.trim();
  const value = /^[+-]?\d{1,16}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new S3Error('MalformedXML');
  return value;
}
