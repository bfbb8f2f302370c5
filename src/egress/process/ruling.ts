/** Applies rules in this process: to requests of the gateway, and to those of mocks to their upstreams. */
import { isIP } from 'node:net';
import { FairShares } from '../../base/fair-shares.ts';
import { ownPorts } from '../../base/own-ports.ts';
import { WaitingBytes } from '../../base/waiting-bytes.ts';
import type { CodeLane } from '../../code-lane/code-lane.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import { COLLECTED_BYTES_MAX } from '../live-rules/collected-body.ts';
import { GatewaySessions } from '../live-rules/gateway-sessions.ts';
import { LiveRules } from '../live-rules/live-rules.ts';
import { RuleFiles } from '../live-rules/rule-files.ts';
import type { RulingParts } from '../live-rules/rule-exchange.ts';
import { SecretKey } from '../recording/secrets.ts';
import type { Api } from './gateway-messages.ts';
import type { RuleSettings } from './settings.ts';

/** One owner holds at most this part of the bodies that rules read, and one body at least. */
const OWNER_SHARE = 4;

export interface Ruling extends RulingParts {
  readonly rules: LiveRules;
  readonly sessions: GatewaySessions;
  /** Undefined where code is off. */
  readonly code: CodeLane | undefined;
}

export function rulingOf(
  settings: RuleSettings,
  upstreams: Pick<Upstreams, 'send' | 'via'>,
  api: Api,
  code?: CodeLane,
  key = new SecretKey(),
): Ruling {
  const { tablesBytesMax, bodiesBytesMax, files, mockUrl } = settings;
  const bodies = new WaitingBytes(
    bodiesBytesMax,
    Math.max(COLLECTED_BYTES_MAX, bodiesBytesMax / OWNER_SHARE),
    COLLECTED_BYTES_MAX,
  );
  // Most requests have an origin that another one had before: base/known-origins.ts.
  const mocksNamed = new WeakMap<URL, boolean>();
  return {
    rules: new LiveRules(tablesBytesMax, api),
    sessions: new GatewaySessions(api),
    upstreams,
    bodies,
    mockUrl,
    filesOf: files.length === 0 ? undefined : (ownerId) => new RuleFiles(files, bodies, ownerId),
    shares: new FairShares(),
    key,
    ownAddresses: { has: (address) => isOwnAddress(address, settings.mocks.host) },
    code,
    codeOf: code && ((ownerId) => code.runOf(ownerId, true)),
    isForMock(origin) {
      let isNamed = mocksNamed.get(origin);
      if (isNamed === undefined) mocksNamed.set(origin, (isNamed = namesMock(origin, settings)));
      return isNamed;
    },
  };
}

const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function isOwnAddress(address: string, host: string): boolean {
  const colon = address.lastIndexOf(':');
  const name = address.slice(0, colon);
  return ownPorts.includes(Number(address.slice(colon + 1))) && (name === host || OWN_NAMES.has(name));
}

/** @param origin Of the request's URL. */
function namesMock(
  { hostname, port, protocol }: URL,
  { mocks, mockDomains }: Pick<RuleSettings, 'mocks' | 'mockDomains'>,
): boolean {
  const usual = protocol === 'https:' ? 443 : 80;
  const requestPort = port === '' ? usual : Number(port);
  const isUsual = requestPort === usual && !isLocal(hostname);
  if (requestPort !== mocks.port && !isUsual) return false;
  if (mocks.isTls !== (protocol === 'https:')) return false;
  const name = hostname.replace(/\.$/, '');
  if (mockDomains.some((domain) => name.endsWith(`.${domain}`))) return true;
  return requestPort === mocks.port && isLocal(name);
}

/** Names and addresses of this machine that nobody else has. */
function isLocal(hostname: string): boolean {
  const name = hostname.replaceAll(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
