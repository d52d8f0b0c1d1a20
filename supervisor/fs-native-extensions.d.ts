/** The part of the package that is used here; it ships no types. */
declare module 'fs-native-extensions' {
  /** Takes an exclusive OFD lock on the whole file. @returns false when another holds one */
  export function tryLock(fd: number): boolean;
  /** An extended attribute of a file; null where there is none. @throws system errors */
  export function getAttrSync(fd: number, name: string): Buffer | null;
  /** @throws system errors */
  export function setAttrSync(fd: number, name: string, value: Buffer): void;
}
