/**
 * SIGUSR1, after which logs go on in new files. Handled from the first moment on: Node's own answer
 * is to open a debugger's port.
 */
export class ReopenSignal {
  /** Called for each signal; before there is a service, nothing is open. */
  onSignal: () => void = () => undefined;

  constructor() {
    process.on('SIGUSR1', () => {
      this.onSignal();
    });
  }
}
