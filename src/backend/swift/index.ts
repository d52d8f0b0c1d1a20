export { openTransport, type OpenTransport } from './net/open-transport.js';
export type {
  SwiftCredential,
  TransportHooks,
  TransportLoad,
  TransportOptions,
} from './net/open-transport.js';
export { openSwiftBackend, type SwiftBackendOptions } from './swift-backend.js';
export { openDirect, type OpenedDirect, type DirectOptions } from './direct/open.js';
