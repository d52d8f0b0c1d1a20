/** The part of the package that is used here; it ships no types. */
declare module 'fs-native-extensions' {
  interface LockOptions {
    /** With others that share it; exclusive by default. */
    readonly shared?: boolean;
  }
  /**
   * Takes an OFD lock: it belongs to the open file, so that threads and processes are told apart.
   * @param length - in bytes; 0 goes to the end of the file
   * @returns false when another open file holds one that is in the way
   * @throws system errors
   */
  export function tryLock(
    fd: number,
    offset?: number,
    length?: number,
    options?: LockOptions,
  ): boolean;
  /** @throws system errors */
  export function unlock(fd: number, offset?: number, length?: number): void;
  /** An extended attribute of a file; null where there is none. @throws system errors */
  export function getAttrSync(fd: number, name: string): Buffer | null;
  /** @throws system errors */
  export function setAttrSync(fd: number, name: string, value: Buffer): void;
}
