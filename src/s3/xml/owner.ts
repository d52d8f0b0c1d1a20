import { element } from './escape.js';

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}

/** A user is shown by its id: there are no other names. */
export function userOwner(id: string): Owner {
  return { id, displayName: id };
}

/** `<Owner>`, as listings show it. */
export function renderOwner(owner: Owner): string {
  return `<Owner>${identity(owner)}</Owner>`;
}

/** Renders the `<Initiator>` of a multipart upload: the user who began it. */
export function renderInitiator(initiator: Owner): string {
  return `<Initiator>${identity(initiator)}</Initiator>`;
}

function identity(owner: Owner): string {
  return element('ID', owner.id) + element('DisplayName', owner.displayName);
}
