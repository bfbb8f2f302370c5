/** Lists of where this server may or may not connect to: `10.0.0.0/8,api.internal:8443,*.example.com`. */
import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../../base/plain-address.ts';

interface Entry {
  /** In lower case; "*.example.com" is what ends so. Undefined for a network. */
  readonly host: string | undefined;
  readonly network: BlockList | undefined;
  /** Undefined: every one that is not refused for all. */
  readonly port: number | undefined;
}

export type ReachList = readonly Entry[];

/** Destination of a connection. */
interface Destination {
  /** Host as named, in lower case. */
  readonly host: string;
  /** From `plainAddress`. */
  readonly address: string;
  readonly port: number;
}

const ENTRY = /^(?:\[([^\]]+)\](\/\d{1,3})?|([^/:\s]+)(\/\d{1,3})?)(?::(\d{1,5}))?$/;
const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** @returns The first entry that cannot be read, as a text in quotes, when there is one. */
export function parseReachList(text: string): ReachList | string {
  const entries: Entry[] = [];
  for (const each of text.split(',').map((entry) => entry.trim().toLowerCase())) {
    if (each === '') continue;
    const entry = entryOf(each);
    if (entry === undefined) return JSON.stringify(each);
    entries.push(entry);
  }
  return entries;
}

function entryOf(text: string): Entry | undefined {
  // An IPv6 network without a port needs no brackets.
  const bare = /^[0-9a-f:.]+(?:\/\d{1,3})?$/.test(text) && text.split(':').length > 2 ? bracketed(text) : text;
  const [, v6, v6Bits, name = '', bits, portText] = ENTRY.exec(bare) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const address = v6 ?? name;
  const version = isIP(address);
  if (version !== 0) {
    const network = networkOf(address, v6Bits ?? bits);
    return network && { host: undefined, network, port };
  }
  // What only looks like a network must not become a name.
  if (v6 !== undefined || bits !== undefined || !HOST.test(name) || /^[\d.]+$/.test(name)) return undefined;
  return { host: name, network: undefined, port };
}

function bracketed(text: string): string {
  const [address = '', bits] = text.split('/');
  return `[${address}]${bits === undefined ? '' : `/${bits}`}`;
}

function networkOf(address: string, bits: string | undefined): BlockList | undefined {
  const most = isIP(address) === 4 ? 32 : 128;
  const length = bits === undefined ? most : Number(bits.slice(1));
  if (length > most) return undefined;
  const list = new BlockList();
  list.addSubnet(address, length, familyOf(address));
  return list;
}

/** Without it every IPv6 address is "not in the list". */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** @returns The entries that name the destination, by its name or its address. */
export function entriesFor(list: ReachList, { host, address, port }: Destination): ReachList {
  return list.filter(
    (entry) =>
      (entry.port === undefined || entry.port === port) &&
      (entry.network === undefined
        ? isNamed(host, entry.host as string)
        : plainAddress(address) !== undefined && entry.network.check(address, familyOf(address))),
  );
}

function isNamed(host: string, name: string): boolean {
  const plain = host.replace(/\.$/, '');
  return name.startsWith('*.') ? plain.endsWith(name.slice(1)) : plain === name;
}
