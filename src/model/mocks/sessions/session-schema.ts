/** The schemas of sessions: the bodies that make and change them, and what the API returns. docs/mocks.md, "Sessions". */
import { SESSION_IDLE_MS, SESSION_IDLE_MS_MAX, SESSION_IDLE_MS_MIN, type MockLimits } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { EXPECTED } from '../../validate.ts';
import { responseShape, routeShape, settingsShape } from '../definition/schema.ts';
import { SESSION_ID } from './session.ts';
import { countsSchema, epochSchema } from '../traffic.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

export const pickShape = Type.Object(
  { responseId: Type.String({ description: 'Of a response of the route: it answers always.' }) },
  NOTHING_ELSE,
);

export function mergeShape(limits: MockLimits) {
  const { status, latency, fault, stream, headers, proxy, callbacks } = responseShape(limits).properties;
  return Type.Object(
    {
      merge: Type.Object(
        {
          status: Type.Optional(status),
          latency,
          fault: Type.Optional(fault),
          stream,
          headers: Type.Optional(headers),
          proxy,
          callbacks,
        },
        NOTHING_ELSE,
      ),
    },
    {
      ...NOTHING_ELSE,
      description: 'Members of all responses of the route; headers replace those of the same name, callbacks all.',
    },
  );
}

const { latency, faults, rateLimit, headers, clock, variables, proxy, stores, scenarios } = settingsShape.properties;

/** What a session has in place of its mock's. */
const overlaySettingsShape = Type.Object(
  { latency, faults, rateLimit, headers, clock, variables, proxy, stores, scenarios },
  { ...NOTHING_ELSE, description: "In place of the mock's own; scenarios and stores are added to these." },
);

const disabled = Type.Optional(
  Type.Array(Type.String(), { description: 'Ids of routes of the mock that answer nothing in the session.' }),
);

const OVERLAY = {
  ...NOTHING_ELSE,
  title: 'Session overlay',
  description: 'What a session answers otherwise than its mock.',
};

/** The same for the check of a body, whose routes, responses and settings are checked one by one. */
export const overlayFrame = Type.Object(
  {
    routes: Type.Optional(Type.Array(Type.Unknown())),
    responses: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })),
    disabled,
    settings: Type.Optional(overlaySettingsShape),
  },
  NOTHING_ELSE,
);

export function overlayShape(limits: MockLimits) {
  return Type.Object(
    {
      routes: Type.Optional(
        Type.Array(routeShape(limits), { description: 'Further routes. They are looked up before those of the mock.' }),
      ),
      responses: Type.Optional(
        Type.Record(Type.String(), Type.Union([pickShape, mergeShape(limits), responseShape(limits)]), {
          description: 'By the id of a route of the mock: which response answers always, or what all are changed in.',
        }),
      ),
      disabled,
      settings: Type.Optional(overlaySettingsShape),
    },
    OVERLAY,
  );
}

/** Members of the bodies that make a session. */
export const sessionMembers = {
  id: Type.Optional(
    Type.String({
      pattern: SESSION_ID.source,
      [EXPECTED]: 'up to 40 lower-case letters, digits and single hyphens, none of them at an end',
      description: 'Unique among the sessions of the mock, or the gateway. Made when absent.',
    }),
  ),
  label: Type.Optional(Type.String({ default: '', maxLength: 1_000, description: 'For people.' })),
  idleMs: Type.Optional(
    Type.Integer({
      default: SESSION_IDLE_MS,
      minimum: SESSION_IDLE_MS_MIN,
      maximum: SESSION_IDLE_MS_MAX,
      description: 'The session ends so long after its last request or API call.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Decides every draw in it. Made of the mock's seed and the session's id when absent; without either by chance.",
    }),
  ),
  state: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'States that it begins with, by the name of the scenario.',
    }),
  ),
  stores: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Values that stores begin with, by name; others have those of the mock.',
    }),
  ),
};

const compat = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Whether the answer has a path with a secret, for clients of WireMock that cannot send a key.',
  }),
);

/** As `overlayFrame`. */
export const sessionFrame = Type.Object(
  { ...sessionMembers, compat, overlay: Type.Optional(overlayFrame) },
  NOTHING_ELSE,
);

export function sessionShape(limits: MockLimits) {
  return Type.Object(
    { ...sessionMembers, compat, overlay: Type.Optional(overlayShape(limits)) },
    { ...NOTHING_ELSE, title: 'Session draft' },
  );
}

const milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the Unix epoch.` });

/** A session as the API returns it. */
export const sessionSchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  createdAt: milliseconds('When it was made'),
  idleMs: Type.Integer(),
  expiresAt: milliseconds('When it ends unless it is used before'),
  seed: Type.Integer({ description: 'Made again with the same seed, the same requests get the same answers.' }),
  version: Type.Integer({ description: 'The saved version of the mock, which it follows.' }),
  epoch: epochSchema,
  published: Type.Optional(
    Type.Literal(false, { description: 'While the data plane is away: it is served as soon as that is back.' }),
  ),
  address: Type.Object(
    {
      header: Type.Object({ name: Type.String(), value: Type.String() }),
      baggage: Type.String({ description: 'A member of a W3C `baggage` header.' }),
      cookie: Type.String({ description: 'Name and value of a cookie.' }),
      hostUrl: Type.Union([Type.String(), Type.Null()], { description: 'Null where no host name can have its name.' }),
      pathUrl: Type.String(),
    },
    { description: 'How a request names it: any of these.' },
  ),
  compat: Type.Optional(
    Type.Object(
      {
        wiremockPath: Type.String(),
      },
      { description: 'With `compat`, once: paths of this server that need no key, and end with the session.' },
    ),
  ),
});

/** As lists have it. */
export const listedSessionSchema = Type.Object({
  ...sessionSchema.properties,
  total: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Count of its requests since its last reset; null while the data plane is away.',
  }),
  unmatched: Type.Union([Type.Integer(), Type.Null()], { description: 'As total, of those that no route answered.' }),
});

/** Read on its own. */
export function fullSessionSchema(limits: MockLimits) {
  return Type.Object({
    ...listedSessionSchema.properties,
    overlay: overlayShape(limits),
    state: Type.Record(Type.String(), Type.String()),
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'What has no effect, since a save of the mock has removed what it names.',
    }),
  });
}

const nearest = Type.Array(Type.Object({ method: Type.String(), path: Type.String() }));

/** What a session leaves. */
export const sessionEndSchema = Type.Object({
  epoch: epochSchema,
  counts: Type.Union([countsSchema, Type.Null()], { description: 'Null where they were lost with the data plane.' }),
  unmatched: Type.Union(
    [Type.Array(Type.Object({ method: Type.String(), path: Type.String(), nearest })), Type.Null()],
    { description: 'The newest requests that nothing answered, with the routes that are most alike; null as counts.' },
  ),
  unused: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Ids of routes that the overlay adds or changes, and that answered nothing; null as counts.',
  }),
  callbacksCanceled: Type.Optional(
    Type.Integer({ description: 'How many callbacks of it are not sent; absent where none are.' }),
  ),
  stores: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'With `stores=true`: what its stores had, by name.' }),
  ),
  globals: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'With `stores=true`: what templates kept by name.' }),
  ),
});
