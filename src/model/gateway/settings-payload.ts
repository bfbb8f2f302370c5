/**
 * Settings of the gateway as clients send them: the schemas of bodies and answers, and the checks that schemas cannot express.
 */
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX } from '../../limits.ts';
import { headerNameProblem } from '../mocks/definition/edit-checks.ts';
import { normaliser } from '../normalise.ts';
import { CLOSED, Type } from '../schema-type.ts';
import { compileCheck, refusalOf } from '../validate.ts';
import { HOST_NAMES, hostNameOf } from './host-name.ts';
import { gatewaySettingsShape, type GatewaySettings } from './settings.ts';

/** Body of PUT. What is absent stays as it is. */
export const gatewayPayloadSchema = Type.Object(
  {
    ...gatewaySettingsShape.properties,
    missingMocks: Type.Optional(
      Type.Unknown({ description: 'Ignored, so that an answer can be sent back unchanged.' }),
    ),
  },
  CLOSED,
);

export const gatewaySettingsSchema = Type.Object({
  ...Type.Filled(gatewaySettingsShape.properties),
  missingMocks: Type.Array(Type.String(), {
    description: 'Ids in `attach` whose mock was deleted: requests for their hosts get 404. Outside the ETag.',
  }),
});

const check = compileCheck(gatewayPayloadSchema);
const normalise = normaliser(gatewaySettingsShape);

/** @returns The members that are there, with hosts in one spelling. */
export function readGatewayPayload(body: object): Partial<GatewaySettings> | Refusal {
  const problems = check(body, '');
  if (problems !== undefined) return refusalOf(problems, 'gatewayPayloadInvalid');
  const sent = normalise(body);
  const details: Detail[] = [];
  const report = (path: string, message: string): void => void details.push({ path, message });
  for (const [index, name] of sent.redact.headers.entries()) {
    const problem = headerNameProblem(name);
    if (problem !== undefined) report(`/redact/headers/${index}`, problem);
  }
  const hosts = sent.attach.map(({ host }) => host);
  const attached = hostsOf(hosts, (index) => `/attach/${index}/host`, report);
  const settings: GatewaySettings = {
    ...sent,
    attach: sent.attach.map(({ mockId }, index) => ({ host: attached[index] ?? '', mockId })),
    tunnel: hostsOf(sent.tunnel, (index) => `/tunnel/${index}`, report),
    propagate: hostsOf(sent.propagate, (index) => `/propagate/${index}`, report),
  };
  if (details.length > 0) return refuse('gatewayPayloadInvalid', details.slice(0, DETAILS_MAX));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(body, name)));
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
