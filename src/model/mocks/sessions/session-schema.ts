/** The schemas of sessions: the bodies that make and change them, and what the API returns. docs/mocks-sessions.md. */
import { SESSION_IDLE_MS, SESSION_IDLE_MS_MAX, SESSION_IDLE_MS_MIN, type MockLimits } from '../../../limits.ts';
import { CLOSED, EXPECTED, Type } from '../../schema-type.ts';
import { responseShape, routeShape, settingsShape } from '../definition/schema.ts';
import { SESSION_ID } from './session.ts';
import { countsSchema, epochSchema } from '../traffic.ts';

export const pickShape = Type.Object(
  { responseId: Type.String({ description: 'Id of the response of the route that always answers.' }) },
  CLOSED,
);

export function mergeShape(limits: MockLimits) {
  const { status, latency, fault, stream, headers, proxy, callbacks } = responseShape(limits).properties;
  return Type.Object(
    {
      merge: Type.Object(
        {
          status: Type.Optional(status),
          latency: Type.Optional(latency),
          fault: Type.Optional(fault),
          stream,
          headers: Type.Optional(headers),
          proxy,
          // An empty list sends none.
          callbacks: Type.Optional(callbacks),
        },
        CLOSED,
      ),
    },
    {
      ...CLOSED,
      description:
        'Members to change in all responses of the route. A header replaces the one of the same name; callbacks replace all.',
    },
  );
}

const {
  cors,
  latency,
  faults,
  rateLimit,
  headers,
  clock,
  variables,
  proxy,
  stores,
  scenarios,
  signing,
  clientCert,
  faker,
} = settingsShape.properties;

/** Settings that a session overrides. */
const overlaySettingsShape = Type.Object(
  {
    cors: Type.Optional(cors),
    latency: Type.Optional(latency),
    faults,
    rateLimit,
    headers,
    clock,
    variables,
    proxy,
    stores,
    scenarios,
    signing,
    clientCert,
    faker,
  },
  { ...CLOSED, description: 'Overrides the settings of the mock; scenarios and stores are added.' },
);

const disabled = Type.Optional(
  Type.Array(Type.String(), { description: 'Ids of routes of the mock to disable in the session.' }),
);

const OVERLAY = {
  ...CLOSED,
  title: 'Session overlay',
  description: 'Differences of the session from its mock.',
};

/** The same for the check of a body, whose routes, responses and settings are checked one by one. */
export const overlayFrame = Type.Object(
  {
    routes: Type.Optional(Type.Array(Type.Unknown())),
    responses: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })),
    disabled,
    settings: Type.Optional(overlaySettingsShape),
  },
  CLOSED,
);

export function overlayShape(limits: MockLimits) {
  return Type.Object(
    {
      routes: Type.Optional(
        Type.Array(routeShape(limits), {
          description: 'Additional routes. They take precedence over those of the mock.',
        }),
      ),
      responses: Type.Optional(
        Type.Record(Type.String(), Type.Union([pickShape, mergeShape(limits), responseShape(limits)]), {
          description:
            'By id of a route of the mock: the response that always answers, or changes to all of its responses.',
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
      [EXPECTED]:
        'up to 40 lower-case letters, digits and single hyphens, without a hyphen at the start or end, or tls- at the start',
      description: 'Unique among the sessions of the mock, or of the gateway. Generated when absent.',
    }),
  ),
  label: Type.Default(Type.String({ default: '', maxLength: 1_000, description: 'For people.' })),
  idleMs: Type.Default(
    Type.Integer({
      default: SESSION_IDLE_MS,
      minimum: SESSION_IDLE_MS_MIN,
      maximum: SESSION_IDLE_MS_MAX,
      description: 'The session expires this long after its last request or API call.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Seed of all randomness in the session. Default: derived from the seed of the mock and the id of the session, or random if the mock has no seed.',
    }),
  ),
  state: Type.Default(
    Type.Record(Type.String(), Type.String(), {
      description: 'Initial states, by scenario.',
    }),
    {},
  ),
  stores: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Initial values of stores, by name. Default: those of the mock.',
    }),
  ),
};

const compat = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Also returns a path with a secret, for WireMock clients that cannot send a key.',
  }),
);

/** A session without its overlay, which is read apart from the rest. */
export const bareSessionShape = Type.Object({ ...sessionMembers, compat });

/** Like `overlayFrame`. */
export const sessionFrame = Type.Object({ ...sessionMembers, compat, overlay: Type.Optional(overlayFrame) }, CLOSED);

export function sessionShape(limits: MockLimits) {
  return Type.Object(
    { ...sessionMembers, compat, overlay: Type.Optional(overlayShape(limits)) },
    { ...CLOSED, title: 'Session draft' },
  );
}

const milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the Unix epoch.` });

/** A session as the API returns it. */
export const sessionSchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  createdAt: milliseconds('When the session was created'),
  idleMs: Type.Integer(),
  expiresAt: milliseconds('When the session expires if it is not used'),
  seed: Type.Integer({ description: 'A new session with the same seed answers the same requests in the same way.' }),
  version: Type.Integer({ description: 'The saved version of the mock, which the session follows.' }),
  epoch: epochSchema,
  published: Type.Optional(
    Type.Literal(false, {
      description: 'Present while the data plane restarts: the session is served as soon as it is back.',
    }),
  ),
  address: Type.Object(
    {
      header: Type.Object({ name: Type.String(), value: Type.String() }),
      baggage: Type.String({ description: 'A member of a W3C `baggage` header.' }),
      cookie: Type.String({ description: 'Name and value of a cookie.' }),
      hostUrl: Type.Union([Type.String(), Type.Null()], {
        description: 'Null when the id cannot be part of a host name.',
      }),
      pathUrl: Type.String(),
      httpsHostUrl: Type.Optional(Type.String({ description: 'With HTTPS; present with `--https`, like the next.' })),
      httpsPathUrl: Type.Optional(Type.String()),
      mtlsHostUrl: Type.Optional(
        Type.String({ description: 'With client certificates; present with `--mtls-port`, like the next.' }),
      ),
      mtlsPathUrl: Type.Optional(Type.String()),
    },
    { description: 'Ways in which a request can name the session.' },
  ),
  compat: Type.Optional(
    Type.Object(
      {
        wiremockPath: Type.String(),
      },
      { description: 'With `compat`, returned once: paths of this server that need no key until the session ends.' },
    ),
  ),
});

/** A session in lists. */
export const listedSessionSchema = Type.Object({
  ...sessionSchema.properties,
  total: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Count of requests since the last reset; null while the data plane restarts.',
  }),
  unmatched: Type.Union([Type.Integer(), Type.Null()], { description: 'Requests that no route answered.' }),
});

/** Read on its own. */
export function fullSessionSchema(limits: MockLimits) {
  return Type.Object({
    ...listedSessionSchema.properties,
    overlay: overlayShape(limits),
    state: Type.Record(Type.String(), Type.String()),
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'Parts of the overlay without effect, because a save of the mock removed what they name.',
    }),
  });
}

const nearest = Type.Array(Type.Object({ method: Type.String(), path: Type.String() }));

/** Summary of an ended session. */
export const sessionEndSchema = Type.Object({
  epoch: epochSchema,
  counts: Type.Union([countsSchema, Type.Null()], { description: 'Null when a restart of the data plane lost them.' }),
  unmatched: Type.Union(
    [Type.Array(Type.Object({ method: Type.String(), path: Type.String(), nearest })), Type.Null()],
    { description: 'The newest unmatched requests, with the closest routes; null when `counts` is.' },
  ),
  unused: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Ids of routes of the overlay that never answered; null when `counts` is.',
  }),
  callbacksCanceled: Type.Optional(
    Type.Integer({ description: 'Count of its callbacks that were not sent; absent when zero.' }),
  ),
  stores: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'With `stores=true`: final values of its stores, by name.',
    }),
  ),
  globals: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'With `stores=true`: final values of globals, by name.',
    }),
  ),
});
