/** Whether a callback may go where a request has decided: who reaches a mock must not choose what this server reaches. */
import { isIP } from 'node:net';
import { plainAddress } from '../policy/plain-address.ts';
import { entriesFor, type ReachList } from '../policy/reach-list.ts';

interface ChosenHosts {
  /** `--callback-allow` */
  readonly allow: ReachList;
  /** On a loopback host, nobody else can ask. */
  readonly allowsLoopback: boolean;
}

export function mayChoose({ hostname, protocol, port: written }: URL, { allow, allowsLoopback }: ChosenHosts): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const port = Number(written) || (protocol === 'https:' ? 443 : 80);
  const address = isIP(host) === 0 ? host : (plainAddress(host) ?? host);
  if (allowsLoopback && (host === 'localhost' || host.endsWith('.localhost') || isLoopback(address))) return true;
  return entriesFor(allow, { host, address, port }).length > 0;
}

function isLoopback(address: string): boolean {
  return address === '0:0:0:0:0:0:0:1' || (isIP(address) === 4 && address.startsWith('127.'));
}
