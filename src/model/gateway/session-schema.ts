/** The schemas of sessions of the gateway: the bodies that make and change them, and what the API returns. docs/gateway.md, "Sessions". */
import { GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, SESSION_RULES_MAX, type Limits } from '../../limits.ts';
import { ruleDraftFrame, ruleDraftSchema } from '../evaluation.ts';
import { overlayShape, sessionEndSchema, sessionMembers, sessionSchema } from '../mocks/sessions/session-schema.ts';
import { Type } from '../schema-type.ts';
import { exchangeCountsSchema } from './exchange.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;
const { id, label, idleMs, seed } = sessionMembers;

const ids = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const members = {
  disabledRules: ids('Ids of stored rules that do not act in the session.'),
  enabledRules: ids('Ids of stored rules that act in it as if they and their groups were active.'),
  attach: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: `Ids of mocks by host, as in the settings: looked up before those. At most ${GATEWAY_ATTACH_MAX}.`,
    }),
  ),
  others: Type.Optional(
    Type.Enum(['forward', 'refuse'], {
      description:
        'In place of the settings: requests for hosts that are not attached go on, or get 502 `notAttached`.',
    }),
  ),
  propagate: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: GATEWAY_PROPAGATE_MAX,
      description: 'In place of the settings: hosts that get the session as `mock-session` in `baggage`.',
    }),
  ),
};

/** For the check of a body, whose rules and overlays of mocks are checked one by one. */
export const gatewayOverlayFrame = Type.Object(
  {
    ...members,
    rules: Type.Optional(Type.Array(ruleDraftFrame)),
    mocks: Type.Optional(
      Type.Unsafe<Readonly<Record<string, object>>>({ type: 'object', additionalProperties: { type: 'object' } }),
    ),
  },
  NOTHING_ELSE,
);

/** As `gatewayOverlayFrame`. */
export const gatewaySessionFrame = Type.Object(
  { id, label, idleMs, seed, overlay: Type.Optional(gatewayOverlayFrame) },
  NOTHING_ELSE,
);

export function gatewayOverlaySchema(limits: Limits) {
  return Type.Object(
    {
      rules: Type.Optional(
        Type.Array(ruleDraftSchema(limits), {
          maxItems: SESSION_RULES_MAX,
          description: 'Further rules. They act behind all stored ones, in this order.',
        }),
      ),
      ...members,
      mocks: Type.Optional(
        Type.Record(Type.String(), overlayShape(limits.mocks), {
          description:
            'Overlays of sessions of mocks, by the id of the mock: each gets a session of the same id at once.',
        }),
      ),
    },
    { ...NOTHING_ELSE, title: 'Gateway session overlay', description: 'What is otherwise in the session.' },
  );
}

export function gatewaySessionDraftSchema(limits: Limits) {
  return Type.Object(
    { id, label, idleMs, seed, overlay: Type.Optional(gatewayOverlaySchema(limits)) },
    { ...NOTHING_ELSE, title: 'Gateway session draft' },
  );
}

const { createdAt, expiresAt, published, address } = sessionSchema.properties;

/** A session as the API returns it. */
export const gatewaySessionSchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  createdAt,
  idleMs: Type.Integer(),
  expiresAt,
  seed: Type.Integer({ description: 'That of the sessions of its mocks.' }),
  epoch: exchangeCountsSchema.properties.epoch,
  published: Type.Optional(published),
  proxy: Type.Object(
    { server: Type.String(), username: Type.String() },
    { description: 'What a client uses the gateway with; the password is an API key.' },
  ),
  baggage: address.properties.baggage,
  cookie: address.properties.cookie,
  mocks: Type.Record(Type.String(), address, {
    description: 'By id, the mocks that have a session of the same id, with how their own requests name it.',
  }),
});

/** As lists have it. */
export const listedGatewaySessionSchema = Type.Object({
  ...gatewaySessionSchema.properties,
  total: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Count of its exchanges; null while the gateway restarts.',
  }),
});

/** Read on its own. */
export function fullGatewaySessionSchema(limits: Limits) {
  return Type.Object({
    ...listedGatewaySessionSchema.properties,
    overlay: gatewayOverlaySchema(limits),
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'What has no effect, since what it names was deleted.',
    }),
  });
}

/** What a session leaves. */
export const gatewaySessionEndSchema = Type.Object({
  epoch: exchangeCountsSchema.properties.epoch,
  counts: Type.Union([exchangeCountsSchema, Type.Null()], {
    description: 'Null where they were lost with the process of the gateway.',
  }),
  notAttached: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Hosts that were refused, since they are not attached; null as counts.',
  }),
  unusedRules: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Ids of rules of the overlay, added or enabled, that never acted; null as counts.',
  }),
  mocks: Type.Record(Type.String(), sessionEndSchema, { description: 'What its sessions of mocks leave, by mock.' }),
});
