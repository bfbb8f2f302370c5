/** Settings of an owner for the gateway: docs/gateway.md, "Settings". settings-payload.ts parses them. */
import type { RedactedNames } from '../mocks/definition/definition.ts';
import { GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, GATEWAY_TUNNEL_MAX } from '../../limits.ts';
import { redactShape } from '../mocks/upstream/proxy-schema.ts';
import { normaliser } from '../normalise.ts';
import { EXPECTED_TYPE, ITEM_NAME, Type } from '../schema-type.ts';
import type { Stamps } from '../stamps.ts';
import type { Value } from '../schema-value.ts';

const host = Type.String({
  minLength: 1,
  maxLength: 300,
  description: '`api.example.com`, or `*.example.com` for its subdomains; add a port to match only that port.',
});

const hosts = (countMax: number, description: string) =>
  Type.Array(host, { maxItems: countMax, description, [ITEM_NAME]: 'host', [EXPECTED_TYPE]: 'an array of hosts' });

export const gatewaySettingsShape = Type.Object({
  mode: Type.Default(
    Type.Enum(['redirect', 'rewrite'], {
      description: 'How rules change the URL: `redirect` answers 307, `rewrite` sends the request to the new URL.',
    }),
    'redirect',
  ),
  attach: Type.Default(
    Type.Array(Type.Object({ host, mockId: Type.String() }, { additionalProperties: false }), {
      maxItems: GATEWAY_ATTACH_MAX,
      description:
        'Hosts that mocks answer for. The most specific host wins: with a port before without, exact before `*.`, a longer suffix before a shorter one.',
      [ITEM_NAME]: 'host',
      [EXPECTED_TYPE]: 'an array of {host, mockId}',
    }),
    () => [],
  ),
  others: Type.Default(
    Type.Enum(['forward', 'refuse'], {
      description: 'Whether requests for other hosts continue or get 502 `notAttached`.',
    }),
    'forward',
  ),
  tunnel: Type.Default(
    hosts(
      GATEWAY_TUNNEL_MAX,
      'Hosts whose tunnels pass through unread, besides those of `--gateway-tunnel`. No rules act there.',
    ),
    () => [],
  ),
  propagate: Type.Default(
    hosts(GATEWAY_PROPAGATE_MAX, 'Hosts that receive the session of a request as `mock-session` in `baggage`.'),
    () => [],
  ),
  record: Type.Default(Type.Boolean({ description: 'Whether to keep bodies of exchanges, in memory.' }), false),
  redact: Type.Default(Type.Custom<RedactedNames, Required<RedactedNames>>(redactShape, withLists), () =>
    withLists({}),
  ),
});

function withLists({ headers = [], members = [] }: RedactedNames): Required<RedactedNames> {
  return { headers, members };
}

export interface GatewaySettings extends Value<typeof gatewaySettingsShape> {}

/** Requests for the host go to the mock. The host is normalised by `hostNameOf`. */
export type AttachedHost = GatewaySettings['attach'][number];

export const GATEWAY_DEFAULTS: GatewaySettings = normaliser(gatewaySettingsShape)({});

/** The settings of one owner, as stored. */
export interface GatewayRecord extends Stamps {
  readonly id: string;
  readonly settings: GatewaySettings;
}
