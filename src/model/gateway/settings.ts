/**
 * What an owner sets of the gateway: docs/gateway.md, "Settings". The record, the schemas of bodies and answers, and the checks
 * that schemas cannot express.
 */
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX, GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, GATEWAY_TUNNEL_MAX } from '../../limits.ts';
import type { RedactedNames } from '../mocks/definition/definition.ts';
import { headerNameProblem } from '../mocks/definition/edit-checks.ts';
import { redactShape } from '../mocks/upstream/proxy-schema.ts';
import { Type } from '../schema-type.ts';
import type { Stamps } from '../stamps.ts';
import { compileCheck, EXPECTED_TYPE, ITEM_NAME, refusalOf } from '../validate.ts';
import { HOST_NAMES, hostNameOf } from './host-name.ts';

/** Requests for the host go to the mock. */
export interface AttachedHost {
  /** As `hostNameOf` writes it. */
  readonly host: string;
  readonly mockId: string;
}

export interface GatewaySettings {
  /** Whether a rule that changes the URL answers with a redirect, or changes where the request goes. */
  readonly mode: 'redirect' | 'rewrite';
  readonly attach: readonly AttachedHost[];
  /** What becomes of requests for hosts that are not attached. */
  readonly others: 'forward' | 'refuse';
  /** Hosts whose tunnels are passed on unread. */
  readonly tunnel: readonly string[];
  /** Hosts that are told the session of a request, in `baggage`. */
  readonly propagate: readonly string[];
  /** Whether bodies are kept. */
  readonly record: boolean;
  readonly redact: Required<RedactedNames>;
}

/** The settings of one owner, as stored. */
export interface GatewayRecord extends Stamps {
  readonly id: string;
  readonly settings: GatewaySettings;
}

export const GATEWAY_DEFAULTS: GatewaySettings = {
  mode: 'redirect',
  attach: [],
  others: 'forward',
  tunnel: [],
  propagate: [],
  record: false,
  redact: { headers: [], members: [] },
};

const host = Type.String({
  minLength: 1,
  maxLength: 300,
  description: '`api.example.com`, or `*.example.com` for what ends so; with a port for this port alone.',
});

const hosts = (countMax: number, description: string) =>
  Type.Array(host, { maxItems: countMax, description, [ITEM_NAME]: 'host', [EXPECTED_TYPE]: 'an array of hosts' });

const members = {
  mode: Type.Enum(['redirect', 'rewrite'], {
    description: 'A rule that changes the URL: `redirect` answers 307, `rewrite` sends the request to the other URL.',
  }),
  attach: Type.Array(Type.Object({ host, mockId: Type.String() }, { additionalProperties: false }), {
    maxItems: GATEWAY_ATTACH_MAX,
    description:
      'Hosts that mocks answer for. A host with a port goes before one without, an exact one before `*.`, and a longer ending before a shorter one.',
    [ITEM_NAME]: 'host',
    [EXPECTED_TYPE]: 'an array of {host, mockId}',
  }),
  others: Type.Enum(['forward', 'refuse'], {
    description: 'Requests for hosts that are not attached: they go on, or get 502 `notAttached`.',
  }),
  tunnel: hosts(
    GATEWAY_TUNNEL_MAX,
    'Hosts whose tunnels are passed on unread, besides those of `--gateway-tunnel`: no rules act there.',
  ),
  propagate: hosts(GATEWAY_PROPAGATE_MAX, 'Hosts that get the session of a request as `mock-session` in `baggage`.'),
  record: Type.Boolean({ description: 'Whether bodies of exchanges are kept, in memory.' }),
  redact: redactShape,
};

/** Body of PUT. What is absent stays as it is. */
export const gatewayPayloadSchema = Type.Object(
  {
    mode: Type.Optional(members.mode),
    attach: Type.Optional(members.attach),
    others: Type.Optional(members.others),
    tunnel: Type.Optional(members.tunnel),
    propagate: Type.Optional(members.propagate),
    record: Type.Optional(members.record),
    redact: Type.Optional(members.redact),
    missingMocks: Type.Optional(Type.Unknown({ description: 'Ignored: an answer may be sent back.' })),
  },
  { additionalProperties: false },
);

export const gatewaySettingsSchema = Type.Object({
  ...members,
  missingMocks: Type.Array(Type.String(), {
    description: 'Ids in `attach` that name no mock any more: requests for their hosts get 404. Outside the ETag.',
  }),
});

type Given = Partial<Omit<GatewaySettings, 'redact'>> & { readonly redact?: RedactedNames };

const check = compileCheck(gatewayPayloadSchema);

/** @returns The members that are there, with hosts in one spelling. */
export function readGatewayPayload(body: object): Partial<GatewaySettings> | Refusal {
  const problems = check(body, '');
  if (problems !== undefined) return refusalOf(problems, 'gatewayPayloadInvalid');
  const { mode, attach, others, tunnel, propagate, record, redact } = body as Given;
  const details: Detail[] = [];
  const report = (path: string, message: string): void => void details.push({ path, message });
  for (const [index, name] of (redact?.headers ?? []).entries()) {
    const problem = headerNameProblem(name);
    if (problem !== undefined) report(`/redact/headers/${index}`, problem);
  }
  const attached =
    attach &&
    hostsOf(
      attach.map((each) => each.host),
      (index) => `/attach/${index}/host`,
      report,
    );
  const given: { -readonly [Name in keyof GatewaySettings]?: GatewaySettings[Name] | undefined } = {
    mode,
    attach: attach?.map(({ mockId }, index) => ({ host: attached?.[index] ?? '', mockId })),
    others,
    tunnel: tunnel && hostsOf(tunnel, (index) => `/tunnel/${index}`, report),
    propagate: propagate && hostsOf(propagate, (index) => `/propagate/${index}`, report),
    record,
    redact: redact && { headers: redact.headers ?? [], members: redact.members ?? [] },
  };
  if (details.length > 0) return refuse('gatewayPayloadInvalid', details.slice(0, DETAILS_MAX));
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<GatewaySettings>;
}

/** Each in its one spelling; reports those that are not hosts, or are there twice. */
function hostsOf(
  given: readonly string[],
  pathOf: (index: number) => string,
  report: (path: string, message: string) => void,
): string[] {
  const known = new Map<string, number>();
  return given.map((text, index) => {
    const name = hostNameOf(text);
    const before = name === undefined ? undefined : known.get(name);
    if (name === undefined) report(pathOf(index), `expected ${HOST_NAMES}; got ${JSON.stringify(text.slice(0, 60))}`);
    else if (before !== undefined)
      report(pathOf(index), `${name} is at ${pathOf(before)} already: leave one of them out`);
    else known.set(name, index);
    return name ?? '';
  });
}
