/** What the key of a TempURL opens: the one container that it is of, or the account. */
export class TempUrlScope {
  /** @param container - undefined: all of the account's */
  constructor(
    private readonly account: string,
    private readonly container: string | undefined,
  ) {}

  covers(account: string, container: string): boolean {
    return (
      account === this.account && (this.container === undefined || container === this.container)
    );
  }
}
