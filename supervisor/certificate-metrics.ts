import { Gauge, type Registry } from 'prom-client';
import type { Certificates } from '../src/config/certificates.js';

/** When the certificates that are in force end. */
export class CertificateMetrics {
  readonly #expiry: Gauge<'port'>;

  constructor(registers: Registry[]) {
    this.#expiry = new Gauge({
      name: 'ringway_tls_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of a port expires; for ports that speak TLS.',
      labelNames: ['port'],
      registers,
    });
  }

  inForce({ s3, admin }: Certificates): void {
    this.#expiry.reset();
    for (const [port, certificate] of Object.entries({ s3, admin })) {
      if (certificate !== undefined) {
        this.#expiry.set({ port }, certificate.expiresAt.getTime() / 1000);
      }
    }
  }
}
