/** One entry of the credentials file, in the shape that the S3 layer's `Credential` has. */
export interface RosterEntry {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The store's account, e.g. `AUTH_main`. */
  readonly account: string;
  /** `owner` may do everything in the account; `member` what ACLs grant. */
  readonly role: 'owner' | 'member';
}

/** Who may sign requests; never empty, access keys are unique. */
export type Roster = readonly RosterEntry[];
