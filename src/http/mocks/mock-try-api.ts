/** A dry run: what a mock would answer to a request, and why; mocks.md, `POST /mocks/:id/try`. */
import { isRefusal, refuse, type Refusal } from '../../errors.ts';
import type { MockDefinition } from '../../model/mocks/definition.ts';
import { definitionOf } from '../../model/mocks/mock.ts';
import { readMock } from '../../model/mocks/query-mock.ts';
import { Type } from '../../model/schema-type.ts';
import { compileCheck, refusalOf } from '../../model/validate.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { readBody } from '../body.ts';
import type { Endpoint } from '../endpoint.ts';

/** What is asked of the guarded thread. */
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

/** What it answers; the rest of it is passed on as the explanation. */
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
}

/** @returns undefined when it took too long. */
export type ExplainRequest = (ownerId: string, run: TryRun) => Promise<TryAnswer | undefined | Refusal>;

const trySchema = Type.Object({
  method: Type.String({ minLength: 1, maxLength: 32 }),
  path: Type.String({
    pattern: '^/',
    maxLength: 8_000,
    'x-expected': 'a path that starts with /',
    description: 'With its query.',
  }),
  headers: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))),
  body: Type.Optional(Type.String()),
  against: Type.Enum(['staged', 'saved']),
});

interface Try {
  method: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  against: 'staged' | 'saved';
}

export function mockTryApi(owners: OwnerDirectory, bodyBytesMax: number, explain: ExplainRequest): Endpoint[] {
  const check = compileCheck(trySchema);
  return [
    {
      method: 'POST',
      path: '/v1/mocks/:id/try',
      access: 'read',
      doc: {
        operationId: 'tryMock',
        tag: 'Mocks',
        summary: 'What the mock would answer, and why; counts and traffic stay as they are',
        body: trySchema,
        examples: { Try: { method: 'GET', path: '/', against: 'saved' } },
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
            explanation: Type.Unknown({ description: 'Each candidate, rule by rule; on a miss the nearest routes.' }),
          }),
        }),
        refusals: ['mockNotFound', 'mockPayloadInvalid'],
      },
      handle: (call) =>
        readBody(call, bodyBytesMax, 'mockPayloadInvalid', (body) =>
          owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) => {
            if (isRefusal(mock)) return call.refuse(mock);
            if (isRefusal(body)) return call.refuse(body);
            const problems = check(body, '');
            if (problems !== undefined) return call.refuse(refusalOf(problems, 'mockPayloadInvalid'));
            const asked = body as unknown as Try;
            const definition = definitionOf(asked.against === 'staged' ? mock.staged : mock.saved);
            call.settleBody();
            return void call.later(
              explain(call.caller.ownerId, { definition, request: requestOf(asked) }),
              (answer) => {
                if (isRefusal(answer)) return call.refuse(answer);
                if (answer === undefined) return call.refuse(refuse('mockPayloadInvalid', [TOO_LONG]));
                return call.succeed(`"data":${JSON.stringify(represent(answer, asked.method))}`);
              },
            );
          }),
        ),
    },
  ];
}

const TOO_LONG = { path: '', message: 'the dry run takes too long' };

function requestOf({ method, path, headers = {}, body }: Try): TryRun['request'] {
  const question = path.indexOf('?');
  const lines = Object.entries(headers).flatMap(([name, values]) =>
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

/** As it would go out: nothing of a body where HTTP has none. */
function represent({ response, route, chosen, ...explanation }: TryAnswer, method: string): object {
  const isBodyless = method === 'HEAD' || response?.status === 204 || response?.status === 304;
  const sent = response && { ...response, body: isBodyless ? '' : Buffer.from(response.body).toString('utf8') };
  return { response: sent ?? null, route: route ?? null, chosen: chosen ?? null, explanation };
}
