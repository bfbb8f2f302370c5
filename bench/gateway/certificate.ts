/** The certificate of a service, with an authority of its own, as files. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrMakeAuthority } from '../../src/ca/authority.ts';
import { leafCertificate } from '../../src/ca/certificates.ts';
import { namesIn } from '../../src/ca/read-der.ts';
import type { TlsFiles } from '../contenders/nginx.ts';
import { temporaryDirectory } from '../processes.ts';

export function certificateFor(name: string): TlsFiles {
  const directory = temporaryDirectory();
  const authority = readOrMakeAuthority(directory, Date.now());
  const signer = {
    ...namesIn(authority.certificate),
    privateKey: createPrivateKey(authority.key),
    publicKey: createPublicKey(authority.certificate),
  };
  const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const endsAt = Date.parse(new X509Certificate(authority.certificate).validTo);
  const write = (file: string, content: string): string => {
    writeFileSync(join(directory, file), content, { mode: 0o600 });
    return join(directory, file);
  };
  return {
    certificate: write('service.pem', leafCertificate(signer, keys.publicKey, [name], Date.now(), endsAt)),
    key: write('service.key', keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    ca: write('ca.pem', authority.certificate),
    name,
  };
}
