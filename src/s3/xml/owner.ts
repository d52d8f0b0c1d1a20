import { element } from './escape.js';

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}

/** `<Owner>`, as listings show it. */
export function renderOwner(owner: Owner): string {
  return `<Owner>${element('ID', owner.id)}${element('DisplayName', owner.displayName)}</Owner>`;
}
