/** The bodies of the mocks API that carry a mock or a part of one: their schemas, and how each is read. */
import type { TObject } from 'typebox';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, DRAFT_BYTES_INLINE_MAX, type Limits } from '../../../limits.ts';
import { parseBody } from '../../../model/json-body.ts';
import { isHeavyDraft, mockParser, type DraftKind, type Drafts } from '../../../model/mocks/definition/mock-payload.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../../../model/mocks/mock-id.ts';
import { responseShape, routeShape, settingsShape } from '../../../model/mocks/definition/schema.ts';
import { upstreamsIn, type UpstreamRefusal } from '../../../model/mocks/upstream/placed-upstreams.ts';
import { overlayShape, sessionShape } from '../../../model/mocks/sessions/session-schema.ts';
import { Type } from '../../../model/schema-type.ts';
import type { EndpointBody } from '../../endpoint.ts';

/** Parses a mock or a part of one in the sandbox. It may keep the bytes. */
export type ParseDraft = <Kind extends DraftKind>(
  ownerId: string,
  kind: Kind,
  json: Buffer,
) => Promise<Drafts[Kind] | Refusal>;

interface DraftBody<Kind extends DraftKind> extends EndpointBody<Drafts[Kind]> {
  readonly schema: TObject;
}

/** The body of each part of a mock. */
export type DraftBodies = { readonly [Kind in DraftKind]: DraftBody<Kind> };

export function draftBodies(limits: Limits, parseInSandbox: ParseDraft, upstreamRefusal: UpstreamRefusal): DraftBodies {
  const parse = mockParser(limits);
  const route = routeShape(limits.mocks);
  const name = Type.Object({
    name: Type.String({ minLength: 1, maxLength: limits.nameCharsMax, description: 'Name for people.' }),
    description: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
  });
  const id = Type.Optional(
    Type.String({
      pattern: CHOSEN_ID.source,
      description: `Part of the URL, unique on this server: ${CHOSEN_ID_FORM}. Generated when absent.`,
    }),
  );
  const definition = Type.Object({ settings: Type.Optional(settingsShape), routes: Type.Optional(Type.Array(route)) });
  const start = Type.Optional(
    Type.Boolean({ default: false, description: 'Starts the mock at once. A stopped mock answers 503.' }),
  );

  const body = <Kind extends DraftKind>(kind: Kind, schema: TObject): DraftBody<Kind> => ({
    schema,
    bytesMax: limits.mocks.definitionBytesMax,
    invalid: 'mockPayloadInvalid',
    read(bytes, { caller }) {
      const reachable = (draft: Drafts[Kind] | Refusal) => withReachableUpstreams(kind, draft, upstreamRefusal);
      const inSandbox = async () => reachable(await parseInSandbox(caller.ownerId, kind, Buffer.from(bytes)));
      if (bytes.length > DRAFT_BYTES_INLINE_MAX) return inSandbox();
      const json = parseBody(bytes, 'mockPayloadInvalid');
      if (isRefusal(json)) return json;
      return isHeavyDraft(json) ? inSandbox() : reachable(parse[kind](json));
    },
  });
  return {
    mock: body('mock', Type.Object({ id, ...name.properties, ...definition.properties, start })),
    name: body('name', name),
    definition: body('definition', definition),
    route: body('route', route),
    response: body('response', responseShape(limits.mocks)),
    session: body('session', sessionShape(limits.mocks)),
    overlay: body('overlay', overlayShape(limits.mocks)),
  };
}

/** Refuses upstreams at addresses that are never allowed. A host name is checked later, because its address can change. */
function withReachableUpstreams<Kind extends DraftKind>(
  kind: Kind,
  draft: Drafts[Kind] | Refusal,
  refusal: UpstreamRefusal,
): Drafts[Kind] | Refusal {
  if (isRefusal(draft)) return draft;
  const { definition, overlay } = draft as Partial<Drafts['mock'] & Drafts['session']>;
  const details = [...upstreamsIn(definition ?? overlay ?? draft, kind === 'session' ? '/overlay' : '')].flatMap(
    ({ path, upstream }) => {
      const message = refusal(upstream);
      return message === undefined ? [] : [{ path, message }];
    },
  );
  return details.length === 0 ? draft : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}
