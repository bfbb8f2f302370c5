/** `switchyard ca`: the authority of the gateway, which clients have to trust for HTTPS. */
import { systemClock } from '../base/clock.ts';
import { authorityFile, factsOf, readAuthority, replaceAuthority, type Authority } from '../egress/ca/authority.ts';
import { OperatorError } from '../base/operator-error.ts';

/** @throws OperatorError where there is none. */
export function showAuthority(data: string): string {
  const authority = readAuthority(data);
  if (authority === undefined) throw new OperatorError(`${data} has none: \`switchyard ca create\` makes one`);
  return linesOf(data, authority);
}

/** @throws OperatorError where there is one. */
export function createAuthority(data: string): string {
  if (readAuthority(data) !== undefined) {
    throw new OperatorError(`${authorityFile(data)} exists: \`switchyard ca rotate\` makes another one`);
  }
  return linesOf(data, replaceAuthority(data, systemClock()));
}

export function rotateAuthority(data: string): string {
  const made = replaceAuthority(data, systemClock());
  return `${linesOf(data, made)}\nTrust it in place of the one before. A server that runs uses it from its next start on.`;
}

function linesOf(data: string, authority: Authority): string {
  const { fingerprint, spkiSha256, expiresAt } = factsOf(authority);
  return [
    `file         ${authorityFile(data)}`,
    `SHA-256      ${fingerprint}`,
    `public key   ${spkiSha256}`,
    `expires      ${expiresAt}`,
  ].join('\n');
}
