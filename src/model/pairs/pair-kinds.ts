/** The pairs of the nine rule types. */
import { isObject } from '../../base/json-object.ts';
import type { Limits } from '../../limits.ts';
import type { RuleType } from '../record-id.ts';
import { Type, EXPECTED } from '../schema-type.ts';
import { type PairKind, pairObject, source, text, modificationValue, valueRequiredWhen } from './pair-kind.ts';

/** Blocks matching requests. */
const cancel: PairKind = {
  spec: (limits) => pairObject({ source: source(limits) }),
};

/** Sets the User-Agent header. */
const userAgent: PairKind = {
  spec: (limits) =>
    pairObject({ source: source(limits), userAgent: Type.String({ maxLength: limits.textCharsMax, ...SENDABLE }) }),
};

/**
 * Replaces text in the URL of matching requests. A `from` that does not compile as `/.../flags` is a literal, so any
 * text is valid.
 */
const replace: PairKind = {
  spec: (limits) => pairObject({ source: source(limits), from: text(limits), to: text(limits) }),
};

/** Sends matching requests elsewhere: to a URL, a local file, or a file or mock server that the service hosts. */
const redirect: PairKind = {
  spec: (limits) =>
    pairObject({
      source: source(limits),
      destinationType: Type.Enum(['url', 'map_local', 'mock_or_file_picker']),
      destination: text(limits),
    }),
};

/** Delays matching requests. Milliseconds, as a number or as the digits that published clients send. */
const delay: PairKind = {
  spec: (limits) =>
    pairObject({
      source: source(limits),
      delay: Type.Unsafe<number | string>({
        type: ['number', 'string'],
        minimum: 0,
        pattern: '^[0-9]+$',
        maxLength: limits.textCharsMax,
        [EXPECTED]: 'a number of milliseconds, or a string of digits',
        description: 'Milliseconds, 0 or more; a string of digits is kept as sent.',
      }),
    }),
};

/**
 * Replaces the body of matching requests, or computes it. `value` is a body or a program, bounded by the request's size
 * rather than as a text field.
 */
const request: PairKind = {
  spec: (limits) =>
    pairObject({ source: Type.Optional(source(limits)), type: Type.Enum(['code', 'static']), value: Type.String() }),
  client: {
    schema: (limits) =>
      pairObject({
        source: Type.Optional(source(limits)),
        request: Type.Object({ type: Type.Enum(['code', 'static']), value: Type.String() }),
      }),
    isMeant: (pair) => 'request' in pair,
  },
};

/** Adds and removes query parameters. `Remove All` removes the whole query, so its `param` may be empty. */
const queryParam: PairKind = {
  spec: (limits) =>
    pairObject({ source: source(limits), modifications: Type.Array(parameterChange(limits), { minItems: 1 }) }),
};

function parameterChange(limits: Limits) {
  return Type.Object(
    { param: text(limits), type: Type.Enum(['Add', 'Remove', 'Remove All']), value: modificationValue(limits) },
    {
      allOf: [
        valueRequiredWhen(['Add']),
        {
          if: { properties: { type: { enum: ['Add', 'Remove'] } }, required: ['type'] },
          then: { properties: { param: { minLength: 1 } } },
        },
      ],
    },
  );
}

/**
 * Replaces the response to matching requests, or computes it. `value` is a body or a program, bounded by the request's
 * size rather than as a text field.
 */
const response: PairKind = {
  spec: (limits) => pairObject({ source: Type.Optional(source(limits)), ...answer(limits) }),
  client: {
    schema: (limits) => pairObject({ source: Type.Optional(source(limits)), response: Type.Object(answer(limits)) }),
    isMeant: (pair) => 'response' in pair,
  },
};

function answer(limits: Limits) {
  return {
    type: Type.Enum(['code', 'static']),
    value: Type.String(),
    serveWithoutRequest: Type.Optional(
      Type.Boolean({ description: 'Serve the response without contacting the target.' }),
    ),
    statusCode: Type.Optional(
      Type.Unsafe<string | number | null>({
        type: ['string', 'integer', 'null'],
        maxLength: limits.textCharsMax,
        pattern: '^\\s*(?:[2-9]\\d\\d)?\\s*$',
        minimum: 200,
        maximum: 999,
        [EXPECTED]: 'a status from 200 to 999',
        description: 'From 200 to 999, as a number or a string; empty or null for that of the response.',
      }),
    ),
    statusText: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.textCharsMax })),
    resourceType: Type.Optional(text(limits)),
  };
}

/** Adds, removes and modifies headers. The published clients distinguish request and response headers. */
const headers: PairKind = {
  spec: (limits) =>
    pairObject({ source: source(limits), modifications: Type.Array(headerChange(limits), { minItems: 1 }) }),
  client: {
    schema: (limits) =>
      pairObject({
        source: source(limits),
        modifications: Type.Object(
          {
            Request: Type.Optional(Type.Array(headerChange(limits))),
            Response: Type.Optional(Type.Array(headerChange(limits))),
          },
          {
            [EXPECTED]: 'at least one modification in Request or Response',
            anyOf: [
              { required: ['Request'], properties: { Request: { minItems: 1 } } },
              { required: ['Response'], properties: { Response: { minItems: 1 } } },
            ],
          },
        ),
      }),
    isMeant: ({ modifications }) => isObject(modifications),
  },
};

/** Rules for header lines that can be sent. */
const SENDABLE = {
  pattern: '^[\\t -~\\u0080-\\uffff]*$',
  [EXPECTED]: 'a text without line breaks and other control characters',
};

function headerValue(limits: Limits) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: limits.textCharsMax,
      ...SENDABLE,
      description: 'Null counts as absent.',
    }),
  );
}

function headerChange(limits: Limits) {
  return Type.Object(
    {
      header: Type.String({
        maxLength: limits.textCharsMax,
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        [EXPECTED]: 'the name of a header: letters, digits and "-"',
      }),
      type: Type.Enum(['Add', 'Remove', 'Modify']),
      value: headerValue(limits),
    },
    valueRequiredWhen(['Add', 'Modify']),
  );
}

export const PAIR_KINDS: Readonly<Record<RuleType, PairKind>> = {
  Redirect: redirect,
  Cancel: cancel,
  Replace: replace,
  Headers: headers,
  UserAgent: userAgent,
  QueryParam: queryParam,
  Request: request,
  Response: response,
  Delay: delay,
};
