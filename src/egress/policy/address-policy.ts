/**
 * Where this server may connect to: judged by the address that is connected to, at each new connection (connector.ts).
 *
 * Mocks name their upstreams, and people who may edit one must not reach what only this machine may: other services of its
 * network, the metadata of its cloud, the API of this server.
 */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { METADATA_ADDRESSES } from '../../model/mocks/upstream/cloud-metadata.ts';
import { plainAddress } from '../../base/plain-address.ts';
import { entriesFor, familyOf, type ReachList } from './reach-list.ts';

export interface PolicySettings {
  readonly allow: ReachList;
  /** Comes before `allow`. */
  readonly deny: ReachList;
  /** Whether this machine itself may be reached: where nobody else can ask. */
  readonly allowsLoopback: boolean;
  /** The ports of this server that nothing is sent to. */
  readonly ownPorts: Pick<readonly number[], 'includes'>;
}

/** Not public: special purposes of IANA's registries, and documentation. */
const PRIVATE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** All public addresses of IPv6 are in it, and some that are not. */
const GLOBAL_V6 = ['2000::/3'];
const PRIVATE_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Ports above 1023 that browsers refuse, since other protocols can be spoken to by HTTP: the Fetch standard's "bad ports". */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);
const LOW_PORTS: ReadonlySet<number> = new Set([80, 443]);
const LOW_PORT_MAX = 1_023;

const privateV4 = listOf(PRIVATE_V4);
const globalV6 = listOf(GLOBAL_V6);
const privateV6 = listOf(PRIVATE_V6);
const metadata = listOf(METADATA_ADDRESSES);
const loopback = listOf(['127.0.0.0/8', '::1']);
const unspecified = listOf(['0.0.0.0', '::']);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return list;
}

/** A connection that is not made. Its message says to whom, and what would allow it. */
export class AddressRefused extends Error {}

export class AddressPolicy {
  readonly #settings: PolicySettings;

  constructor(settings: PolicySettings) {
    this.#settings = settings;
  }

  /**
   * @param address That is connected to.
   * @param host    As it was named.
   * @returns Why no connection is made; undefined when it may be.
   */
  refusal(address: string, port: number, host: string): AddressRefused | undefined {
    const { allow } = this.#settings;
    const refused = (why: string): AddressRefused => new AddressRefused(`${host}:${port} ${why}`);
    const plain = plainAddress(address);
    if (plain === undefined) return refused(NO_ADDRESS);
    const why = this.#whyNot(plain, port, host);
    if (why !== undefined) return refused(why);
    const allowed = entriesFor(allow, { host: host.toLowerCase(), address: plain, port });
    if (isUsualPort(port) || allowed.some((entry) => entry.port === port)) return undefined;
    return refused(`uses a port of another protocol: allow it with --egress-allow ${host}:${port}`);
  }

  /** @returns Why no request to it can ever succeed, of an address that is named as such, or of this machine. */
  refusalOf(upstream: string): string | undefined {
    const { hostname, protocol, port: portText } = new URL(upstream);
    const host = hostname.replaceAll(/^\[|\]$/g, '');
    const port = Number(portText) || (protocol === 'https:' ? 443 : 80);
    const isLocal = /^(?:.+\.)?localhost$/.test(host);
    if (isLocal && this.#settings.ownPorts.includes(port)) return `${host}:${port} ${OWN_PORT}`;
    if (isIP(host) === 0) return undefined;
    const plain = plainAddress(host);
    const why = plain === undefined ? NO_ADDRESS : this.#whyNot(plain, port, host);
    return why === undefined ? undefined : `${host}:${port} ${why}`;
  }

  /** Explains why an address is refused, whatever its port is used for elsewhere. */
  #whyNot(plain: string, port: number, host: string): string | undefined {
    const { allow, deny, allowsLoopback, ownPorts } = this.#settings;
    const to = { host: host.toLowerCase(), address: plain, port };
    const family = familyOf(plain);
    if (metadata.check(plain, family)) return 'is a cloud metadata address, which is always refused';
    if (ownPorts.includes(port) && isOwn(plain)) return OWN_PORT;
    if (entriesFor(deny, to).length > 0) return 'is refused by --egress-deny';
    const isOpen = (allowsLoopback && loopback.check(plain, family)) || isPublic(plain);
    return isOpen || entriesFor(allow, to).length > 0
      ? undefined
      : 'is not a public address: allow it with --egress-allow';
  }
}

const NO_ADDRESS = 'is not a valid address';
const OWN_PORT = 'is a port of this server, which is always refused';

function isPublic(address: string): boolean {
  if (familyOf(address) === 'ipv4') return !privateV4.check(address, 'ipv4');
  return globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6');
}

function isUsualPort(port: number): boolean {
  return port > LOW_PORT_MAX ? !BAD_PORTS.has(port) : LOW_PORTS.has(port);
}

/** Whether a connection to it ends on this machine. */
function isOwn(address: string): boolean {
  const family = familyOf(address);
  if (loopback.check(address, family) || unspecified.check(address, family)) return true;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => plainAddress(own.address.replace(/%.*$/, '')) === address),
  );
}
