/**
 * The policy of an exchange: its effective rules, and the settings of its owner and session. The gateway decides it once, after the key
 * and the head, and the exchange keeps it to its end.
 */
import { isIP } from 'node:net';
import { namesOfLabels, namesOfPath, type MockAddress } from '../../model/mocks/sessions/address.ts';
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../../model/gateway/settings.ts';
import type { FindCandidates, RuleTable } from '../../rules-table/rule-table.ts';
import { HostTable, hostSet } from './host-table.ts';

/** The rules of one version of an owner. */
interface OwnerRules {
  readonly version: number;
  readonly table: RuleTable;
  readonly find: FindCandidates;
}

/** Settings in the form that exchanges ask. Hosts are as URLs have them, without their ports. */
export interface PolicySettings {
  readonly mode: GatewaySettings['mode'];
  readonly others: GatewaySettings['others'];
  /** The mock that answers for a host. */
  readonly attachOf: (host: string, port: number) => string | undefined;
  /** Whether tunnels to a host are passed on unread. */
  readonly tunnels: (host: string, port: number) => boolean;
  /** Whether a host gets the session of a request. */
  readonly propagates: (host: string, port: number) => boolean;
  readonly recordsBodies: boolean;
  /** Names whose values are not kept, besides those of common credentials. */
  readonly redact: GatewaySettings['redact'];
}

export interface ExchangePolicy extends OwnerRules, PolicySettings {
  /** Undefined for a request without a session. */
  readonly sessionId: string | undefined;
}

export function toPolicySettings({
  mode,
  others,
  attach,
  tunnel,
  propagate,
  record,
  redact,
}: GatewaySettings): PolicySettings {
  const attached = new HostTable(attach.map(({ host, mockId }) => [host, mockId]));
  const tunnelled = hostSet(tunnel);
  const propagated = hostSet(propagate);
  return {
    mode,
    others,
    attachOf: (host, port) => attached.get(host, port),
    tunnels: (host, port) => tunnelled.has(host, port),
    propagates: (host, port) => propagated.has(host, port),
    recordsBodies: record,
    redact,
  };
}

/** The same for all owners without settings. */
export const DEFAULT_POLICY_SETTINGS = toPolicySettings(GATEWAY_DEFAULTS);

/** A request's without a session. */
export function ownerPolicy(rules: OwnerRules, settings: PolicySettings): ExchangePolicy {
  return { sessionId: undefined, ...rules, ...settings };
}

/** Estimated memory of the settings of one owner. */
export function settingsBytes({ attach, tunnel, propagate, redact }: GatewaySettings): number {
  const names = [
    ...attach.map(({ host, mockId }) => host + mockId),
    ...tunnel,
    ...propagate,
    ...redact.headers,
    ...redact.members,
  ];
  return names.reduce((sum, name) => sum + NAME_BYTES + 2 * name.length, 0);
}

const NAME_BYTES = 150;

/** Why a request to such a host fails where others than attached ones are refused. */
export function notAttached(host: string): { readonly kind: 'notAttached'; readonly reason: string } {
  return { kind: 'notAttached', reason: `no mock is attached to ${host}, and the gateway refuses other hosts` };
}

/**
 * The mock of this server that a request names, and a session of it: in the order of the port of mocks (serving/thread/addresses.ts).
 *
 * @param host As URLs have it. @param path As it is sent. @param mockId What `x-mock-id` names.
 */
export function mockNamedBy(host: string, path: string, mockId: string | undefined): MockAddress | undefined {
  const [label = '', ...domain] = host.split('.');
  if (domain.length > 0 && isIP(host) === 0) return namesOfLabels(label);
  return namesOfPath(path) ?? (mockId === undefined ? undefined : { mockId, sessionId: undefined });
}

/** The port that a URL names, or has by its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
