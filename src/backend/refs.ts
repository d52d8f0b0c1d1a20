/** Names of things in a store, and the values that they carry. */

/** Names to values. Names are lower case and carry no `x-…-meta-` prefix. */
export type Metadata = Readonly<Record<string, string>>;

/** Changes to system metadata: a string sets the name, `null` removes it, others stay. */
export type MetadataPatch = Readonly<Record<string, string | null>>;

export interface ContainerRef {
  readonly account: string;
  readonly container: string;
}

export interface ObjectRef extends ContainerRef {
  readonly object: string;
}
