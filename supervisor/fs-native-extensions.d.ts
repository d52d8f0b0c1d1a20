/** The part of the package that is used here; it ships no types. */
declare module 'fs-native-extensions' {
  /** Takes an exclusive OFD lock on the whole file. @returns false when another holds one */
  export function tryLock(fd: number): boolean;
}
