/** The schemas of sessions of the gateway: the bodies that make and change them, and what the API returns. docs/gateway.md, "Sessions". */
import { GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, SESSION_RULES_MAX, type Limits } from '../../limits.ts';
import { ruleDraftFrame, ruleDraftSchema } from '../evaluation.ts';
import { overlayShape, sessionEndSchema, sessionMembers, sessionSchema } from '../mocks/sessions/session-schema.ts';
import { CLOSED, Type } from '../schema-type.ts';
import { exchangeCountsSchema } from './exchange.ts';

const { id, label, idleMs, seed } = sessionMembers;

const ids = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const members = {
  disabledRules: ids('Ids of stored rules to switch off in the session.'),
  enabledRules: ids('Ids of stored rules to switch on in the session, with their groups.'),
  attach: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: `Ids of mocks by host. Takes precedence over the settings. At most ${GATEWAY_ATTACH_MAX}.`,
    }),
  ),
  mode: Type.Optional(
    Type.Enum(['redirect', 'rewrite'], {
      description: 'Overrides the settings: rules that change the URL answer 307, or send the request there.',
    }),
  ),
  others: Type.Optional(
    Type.Enum(['forward', 'refuse'], {
      description: 'Overrides the settings: requests for other hosts continue, or get 502 `notAttached`.',
    }),
  ),
  propagate: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: GATEWAY_PROPAGATE_MAX,
      description: 'Overrides the settings: hosts that receive the session as `mock-session` in `baggage`.',
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
  CLOSED,
);

/** Like `gatewayOverlayFrame`. */
export const gatewaySessionFrame = Type.Object(
  { id, label, idleMs, seed, overlay: Type.Optional(gatewayOverlayFrame) },
  CLOSED,
);

export function gatewayOverlaySchema(limits: Limits) {
  return Type.Object(
    {
      rules: Type.Optional(
        Type.Array(ruleDraftSchema(limits), {
          maxItems: SESSION_RULES_MAX,
          description: 'Additional rules. They act after all stored rules, in this order.',
        }),
      ),
      ...members,
      mocks: Type.Optional(
        Type.Record(Type.String(), overlayShape(limits.mocks), {
          description: 'Overlays by mock id: each of these mocks gets a session with the same id at once.',
        }),
      ),
    },
    {
      ...CLOSED,
      title: 'Gateway session overlay',
      description: "Differences from the owner's rules and settings.",
    },
  );
}

export function gatewaySessionDraftSchema(limits: Limits) {
  return Type.Object(
    { id, label, idleMs, seed, overlay: Type.Optional(gatewayOverlaySchema(limits)) },
    { ...CLOSED, title: 'Gateway session draft' },
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
  seed: Type.Integer({ description: 'Seed of the sessions of its mocks.' }),
  epoch: exchangeCountsSchema.properties.epoch,
  published: Type.Optional(published),
  proxy: Type.Object(
    { server: Type.String(), username: Type.String() },
    { description: 'The user name for the gateway; the password is an API key.' },
  ),
  baggage: address.properties.baggage,
  cookie: address.properties.cookie,
  mocks: Type.Record(Type.String(), address, {
    description: 'Mocks with a session of the same id, by mock id, and how their own requests name it.',
  }),
});

/** A session in lists. */
export const listedGatewaySessionSchema = Type.Object({
  ...gatewaySessionSchema.properties,
  total: Type.Union([Type.Integer(), Type.Null()], {
    description: "Count of the session's exchanges; null while the gateway restarts.",
  }),
});

/** Read on its own. */
export function fullGatewaySessionSchema(limits: Limits) {
  return Type.Object({
    ...listedGatewaySessionSchema.properties,
    overlay: gatewayOverlaySchema(limits),
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'Parts of the overlay without effect, because what they name was deleted.',
    }),
  });
}

/** Summary of an ended session. */
export const gatewaySessionEndSchema = Type.Object({
  epoch: exchangeCountsSchema.properties.epoch,
  counts: Type.Union([exchangeCountsSchema, Type.Null()], {
    description: 'Null when a restart of the gateway lost them.',
  }),
  notAttached: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Hosts that were refused because they are not attached; null when `counts` is.',
  }),
  unusedRules: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Ids of overlay rules, added or enabled, that never acted; null when `counts` is.',
  }),
  ruleNames: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
    description: 'Names of the rules in `counts` and `unusedRules`, by id; null when `counts` is.',
  }),
  mocks: Type.Record(Type.String(), sessionEndSchema, { description: 'Summaries of its sessions of mocks, by mock.' }),
});
