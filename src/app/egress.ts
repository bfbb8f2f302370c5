/** What reaches upstreams of mocks: made at a start, and started by the first mock that has one. */
import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/operator-error.ts';
import { Egress, type EgressOptions } from '../egress/supervisor/egress.ts';
import { peerAddress } from '../forward/peer-tls.ts';
import type { Config } from './config.ts';

/** @param apiPort That of the API. @throws OperatorError when the file of certificates cannot be read. */
export function egressOf(
  { egress, node }: Config,
  parts: Pick<EgressOptions, 'allowsLoopback' | 'log' | 'recordingBytesMax'> & { readonly apiPort: number },
): Egress {
  const { log, apiPort, ...given } = parts;
  if (egress.insecure.length > 0)
    log.warn({ hosts: egress.insecure }, 'certificates of upstreams are not verified: --egress-insecure');
  const own = node === undefined ? [apiPort] : [apiPort, peerAddress(node.listen).port];
  return new Egress({ ...egress, ...given, ca: certificatesIn(egress.ca), log, ownPorts: own });
}

function certificatesIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // As without certificates.
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new OperatorError(`--egress-ca ${file} has no certificate`);
  return text;
}
