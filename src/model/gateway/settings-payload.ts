/**
 * Settings of the gateway as clients send them: the schemas of bodies and answers, and the checks that schemas cannot express.
 */
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX, GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, GATEWAY_TUNNEL_MAX } from '../../limits.ts';
import type { RedactedNames } from '../mocks/definition/definition.ts';
import { headerNameProblem } from '../mocks/definition/edit-checks.ts';
import { redactShape } from '../mocks/upstream/proxy-schema.ts';
import { Type } from '../schema-type.ts';
import { compileCheck, EXPECTED_TYPE, ITEM_NAME, refusalOf } from '../validate.ts';
import { HOST_NAMES, hostNameOf } from './host-name.ts';
import type { AttachedHost, GatewaySettings } from './settings.ts';

const host = Type.String({
  minLength: 1,
  maxLength: 300,
  description: '`api.example.com`, or `*.example.com` for its subdomains; add a port to match only that port.',
});

const hosts = (countMax: number, description: string) =>
  Type.Array(host, { maxItems: countMax, description, [ITEM_NAME]: 'host', [EXPECTED_TYPE]: 'an array of hosts' });

const members = {
  mode: Type.Enum(['redirect', 'rewrite'], {
    description: 'How rules change the URL: `redirect` answers 307, `rewrite` sends the request to the new URL.',
  }),
  attach: Type.Array(Type.Object({ host, mockId: Type.String() }, { additionalProperties: false }), {
    maxItems: GATEWAY_ATTACH_MAX,
    description:
      'Hosts that mocks answer for. The most specific host wins: with a port before without, exact before `*.`, a longer suffix before a shorter one.',
    [ITEM_NAME]: 'host',
    [EXPECTED_TYPE]: 'an array of {host, mockId}',
  }),
  others: Type.Enum(['forward', 'refuse'], {
    description: 'Whether requests for other hosts continue or get 502 `notAttached`.',
  }),
  tunnel: hosts(
    GATEWAY_TUNNEL_MAX,
    'Hosts whose tunnels pass through unread, besides those of `--gateway-tunnel`. No rules act there.',
  ),
  propagate: hosts(
    GATEWAY_PROPAGATE_MAX,
    'Hosts that receive the session of a request as `mock-session` in `baggage`.',
  ),
  record: Type.Boolean({ description: 'Whether to keep bodies of exchanges, in memory.' }),
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
    missingMocks: Type.Optional(
      Type.Unknown({ description: 'Ignored, so that an answer can be sent back unchanged.' }),
    ),
  },
  { additionalProperties: false },
);

export const gatewaySettingsSchema = Type.Object({
  ...members,
  missingMocks: Type.Array(Type.String(), {
    description: 'Ids in `attach` whose mock was deleted: requests for their hosts get 404. Outside the ETag.',
  }),
});

type SettingsInput = Partial<Omit<GatewaySettings, 'redact'>> & { readonly redact?: RedactedNames };

const check = compileCheck(gatewayPayloadSchema);

/** @returns The members that are there, with hosts in one spelling. */
export function readGatewayPayload(body: object): Partial<GatewaySettings> | Refusal {
  const problems = check(body, '');
  if (problems !== undefined) return refusalOf(problems, 'gatewayPayloadInvalid');
  const { mode, attach, others, tunnel, propagate, record, redact } = body as SettingsInput;
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
    attach: attach?.map(({ mockId }, index): AttachedHost => ({ host: attached?.[index] ?? '', mockId })),
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
    else if (before !== undefined) report(pathOf(index), `${name} is already at ${pathOf(before)}: remove one of them`);
    else known.set(name, index);
    return name ?? '';
  });
}
