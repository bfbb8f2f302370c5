/** A dry run: what a mock would answer to a request, and why; docs/mocks.md, `POST /mocks/:id/try`. */
import type { Static } from 'typebox';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { MockDefinition } from '../../../model/mocks/definition.ts';
import { definitionOf } from '../../../model/mocks/mock.ts';
import { bodyReadingSchema, type BodyReading } from '../../../model/mocks/traffic.ts';
import { Type } from '../../../model/schema-type.ts';
import { EXPECTED } from '../../../model/validate.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { withMock } from './traffic.ts';

/** The task of the sandbox. */
export interface TryRun {
  readonly definition: MockDefinition;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    /** Names in lower case and values, alternating. */
    readonly headers: readonly string[];
    readonly body: Uint8Array | undefined;
  };
}

/** The sandbox's answer; its other members are passed on as the explanation. */
export interface TryAnswer {
  readonly response:
    | {
        readonly status: number;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly body: Uint8Array;
      }
    | undefined;
  readonly route: object | undefined;
  readonly chosen: object | undefined;
  readonly bodyReadAs: BodyReading | null;
}

/** @returns undefined when it took too long. */
export type ExplainRequest = (ownerId: string, run: TryRun) => Promise<TryAnswer | undefined | Refusal>;

const trySchema = Type.Object({
  method: Type.String({ minLength: 1, maxLength: 32 }),
  path: Type.String({
    pattern: '^/',
    maxLength: 8_000,
    [EXPECTED]: 'a path that starts with /',
    description: 'With its query.',
  }),
  headers: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
        Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
      ],
      {
        [EXPECTED]: 'an object of values by name, or an array of {name, value}',
        description: 'By name, or in lines as a response has them.',
      },
    ),
  ),
  body: Type.Optional(Type.String({ description: 'As text: of JSON what `JSON.stringify` makes.' })),
  against: Type.Optional(
    Type.Enum(['staged', 'saved'], { default: 'saved', description: 'The working copy, or what is served.' }),
  ),
});

type Try = Static<typeof trySchema>;

export function mockTryApi(owners: OwnerDirectory, bodyBytesMax: number, explain: ExplainRequest): Endpoint[] {
  const body: EndpointBody<Try> = {
    schema: trySchema,
    examples: { Try: { method: 'GET', path: '/' } },
    bytesMax: bodyBytesMax,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(trySchema, 'mockPayloadInvalid'),
  };
  return [
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/try',
      access: 'read',
      doc: {
        operationId: 'tryMock',
        tag: 'Mocks',
        summary: 'What the mock would answer, and why; counts and traffic stay as they are',
        answer: Type.Object({
          data: Type.Object({
            response: Type.Union([
              Type.Object({
                status: Type.Integer(),
                headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
                body: Type.String({ description: 'As text; bytes that are no UTF-8 are replaced.' }),
              }),
              Type.Null(),
            ]),
            route: Type.Unknown(),
            chosen: Type.Unknown(),
            bodyReadAs: Type.Union([bodyReadingSchema, Type.Null()], {
              description:
                'What rules and templates read the body as; null when that takes more work than a request may.',
            }),
            explanation: Type.Unknown({ description: 'Each candidate, rule by rule; on a miss the nearest routes.' }),
          }),
        }),
        untagged: true,
        refusals: ['mockNotFound', 'mockPayloadInvalid'],
      },
      body,
      handle(call, asked) {
        withMock(owners, call, async (mock) => {
          if (isRefusal(asked)) return call.refuse(asked);
          const definition = definitionOf(asked.against === 'staged' ? mock.staged : mock.saved);
          call.releaseBody();
          const answer = await explain(call.caller.ownerId, { definition, request: requestOf(asked) });
          if (isRefusal(answer)) return call.refuse(answer);
          if (answer === undefined) return call.refuse(refuse('mockPayloadInvalid', [TOO_LONG]));
          return call.succeed(`"data":${JSON.stringify(represent(answer, asked.method))}`);
        });
      },
    }),
  ];
}

const TOO_LONG = { path: '', message: 'the dry run takes too long' };

function requestOf({ method, path, headers = {}, body }: Try): TryRun['request'] {
  const question = path.indexOf('?');
  const lines = Array.isArray(headers)
    ? headers.flatMap(({ name, value }) => [name.toLowerCase(), value])
    : Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().flatMap((value) => [name.toLowerCase(), value]),
      );
  return {
    method,
    path: question === -1 ? path : path.slice(0, question),
    query: question === -1 ? '' : path.slice(question + 1),
    headers: lines,
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

/** As a client would get it: without a body where HTTP has none. */
function represent({ response, route, chosen, bodyReadAs, ...explanation }: TryAnswer, method: string): object {
  const isBodyless = method === 'HEAD' || response?.status === 204 || response?.status === 304;
  const sent = response && { ...response, body: isBodyless ? '' : Buffer.from(response.body).toString('utf8') };
  return { response: sent ?? null, route: route ?? null, chosen: chosen ?? null, bodyReadAs, explanation };
}
