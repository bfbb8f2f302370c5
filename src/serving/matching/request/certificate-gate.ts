/** The gate of a mock that needs certificates of its clients: every request passes it, whatever its connection was opened for. */
import type { X509Certificate } from 'node:crypto';
import { authoritiesIn, type ClientCertSetting } from '../../../model/mocks/definition/client-cert.ts';
import type { ClientCert } from './client-cert.ts';

/** Certificates whose check is kept: one takes 0.6 ms. */
const CHECKED_MAX = 1_000;

/** The range of the setting. */
export type RefusedStatus = 400 | 401 | 402 | 403;

export class CertificateGate {
  readonly status: RefusedStatus;
  readonly #isRequired: boolean;
  /** Undefined: whatever the port accepts. */
  readonly #authorities: readonly X509Certificate[] | undefined;
  readonly #checked = new Map<ClientCert, boolean>();

  constructor(setting: ClientCertSetting) {
    this.status = (setting.refuse as RefusedStatus | undefined) ?? 403;
    this.#isRequired = setting.required ?? true;
    this.#authorities = authoritiesIn(setting);
  }

  /** @returns Why a request does not pass: completes a sentence that begins with it. */
  problemOf(certificate: ClientCert | undefined, now = Date.now()): string | undefined {
    if (certificate === undefined) return this.#isRequired ? 'needs a client certificate' : undefined;
    if (now >= certificate.endsAt)
      return `has a client certificate that ended at ${new Date(certificate.endsAt).toISOString()}`;
    return this.#isTrusted(certificate, now)
      ? undefined
      : 'has a client certificate whose issuer is not one of clientCert.ca';
  }

  #isTrusted(certificate: ClientCert, now: number): boolean {
    if (this.#authorities === undefined) return true;
    let isTrusted = this.#checked.get(certificate);
    if (isTrusted === undefined) {
      if (this.#checked.size >= CHECKED_MAX) this.#checked.clear();
      isTrusted = leadsToRoot(certificate.parsed, this.#authorities, now);
      this.#checked.set(certificate, isTrusted);
    }
    return isTrusted;
  }
}

function leadsToRoot(leaf: X509Certificate, authorities: readonly X509Certificate[], now: number): boolean {
  let below = leaf;
  for (let depth = 0; depth < authorities.length; depth++) {
    const issuer = authorities.find((each) => below.checkIssued(each) && below.verify(each.publicKey));
    if (issuer === undefined || !issuer.ca || now >= Date.parse(issuer.validTo)) return false;
    if (issuer.checkIssued(issuer)) return true;
    below = issuer;
  }
  return false;
}
