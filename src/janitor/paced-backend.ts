import type * as B from '../backend/backend.js';

/** Asked before each call; what it throws, the call fails with. */
export type BeforeCall = () => Promise<void>;

/**
 * A backend whose every call waits for its turn and needs the lease, whoever makes it: code that the
 * janitor shares with operations knows of neither.
 */
export class PacedBackend implements B.Backend {
  readonly capabilities: B.Capabilities;

  constructor(
    private readonly backend: B.Backend,
    private readonly beforeCall: BeforeCall,
  ) {
    this.capabilities = backend.capabilities;
  }

  ping: B.Backend['ping'] = async (...args) => {
    await this.beforeCall();
    return this.backend.ping(...args);
  };

  listContainers: B.Backend['listContainers'] = async (...args) => {
    await this.beforeCall();
    return this.backend.listContainers(...args);
  };

  createContainer: B.Backend['createContainer'] = async (...args) => {
    await this.beforeCall();
    return this.backend.createContainer(...args);
  };

  headContainer: B.Backend['headContainer'] = async (...args) => {
    await this.beforeCall();
    return this.backend.headContainer(...args);
  };

  updateContainer: B.Backend['updateContainer'] = async (...args) => {
    await this.beforeCall();
    return this.backend.updateContainer(...args);
  };

  deleteContainer: B.Backend['deleteContainer'] = async (...args) => {
    await this.beforeCall();
    return this.backend.deleteContainer(...args);
  };

  listObjects: B.Backend['listObjects'] = async (...args) => {
    await this.beforeCall();
    return this.backend.listObjects(...args);
  };

  putObject: B.Backend['putObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.putObject(...args);
  };

  headObject: B.Backend['headObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.headObject(...args);
  };

  getObject: B.Backend['getObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.getObject(...args);
  };

  putManifest: B.Backend['putManifest'] = async (...args) => {
    await this.beforeCall();
    return this.backend.putManifest(...args);
  };

  putLink: B.Backend['putLink'] = async (...args) => {
    await this.beforeCall();
    return this.backend.putLink(...args);
  };

  getSegments: B.Backend['getSegments'] = async (...args) => {
    await this.beforeCall();
    return this.backend.getSegments(...args);
  };

  copyObject: B.Backend['copyObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.copyObject(...args);
  };

  updateObject: B.Backend['updateObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.updateObject(...args);
  };

  deleteObject: B.Backend['deleteObject'] = async (...args) => {
    await this.beforeCall();
    return this.backend.deleteObject(...args);
  };

  close(): Promise<void> {
    return this.backend.close();
  }
}
