/** The identity service cannot be asked, or does not answer as Keystone does; says nothing secret. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}
