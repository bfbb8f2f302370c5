/** The recipe `openai-responses`, asked by the provider's own client. */
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';
import { collected, importRecipe, requestsOf, type RecipeMock } from '../interchange/recipes/recipe-mock.ts';
import { WEATHER } from './weather.ts';

const { server, key } = await useServer();
let mock: RecipeMock;
let openai: OpenAI;
const model = 'gpt-test';
const tools: OpenAI.Responses.FunctionTool[] = [{ type: 'function', strict: false, ...WEATHER.declared }];

const clientOf = (url: string, maxRetries = 0) => new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1`, maxRetries });

beforeAll(async () => {
  mock = await importRecipe(server, key, 'openai-responses');
  openai = clientOf(mock.url);
});

describe('text', () => {
  test('the input comes back, as a whole', async () => {
    const response = await openai.responses.create({ model, input: 'Say "hi"\n now', instructions: 'Be brief' });
    expect(response.output_text).toBe('Say "hi"\n now');
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model,
      instructions: 'Be brief',
      previous_response_id: null,
      usage: { input_tokens: 3, output_tokens: 3, total_tokens: 6 },
    });
    expect(response.created_at).toBeGreaterThan(1_700_000_000);
  });

  test('of a list the last item does', async () => {
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'first' },
      { role: 'user', content: [{ type: 'input_text', text: 'last' }] },
    ];
    expect((await openai.responses.create({ model, input })).output_text).toBe('last');
    expect((await openai.responses.create({ model, input: input.slice(0, 1) })).output_text).toBe('first');
  });

  test('word by word', async () => {
    const events = await collected(await openai.responses.create({ model, input: 'so it goes', stream: true }));
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    expect(events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))).toEqual([
      'so',
      ' it',
      ' goes',
    ]);
  });

  test('by `.stream()`', async () => {
    const stream = openai.responses.stream({ model, input: 'so "it" goes' });
    const { output_text: text, usage } = await stream.finalResponse();
    expect(text).toBe('so "it" goes');
    expect(usage).toMatchObject({ total_tokens: 6 });
  });
});

describe('tools', () => {
  test.each([false, true])('a function is called, and its result comes back, streamed: %s', async (streams) => {
    const asked = {
      model,
      tools,
      input: [{ role: 'user', content: 'In "Rome"?' }] satisfies OpenAI.Responses.ResponseInput,
    };
    const answered = async (body: typeof asked | { input: OpenAI.Responses.ResponseInput; model: string }) =>
      streams ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
    const first = await answered(asked);
    const [call] = first.output;
    if (call?.type !== 'function_call') return expect.fail(`got ${call?.type}`);
    expect(call).toMatchObject({ name: 'weather', status: 'completed' });
    expect(JSON.parse(call.arguments)).toEqual(WEATHER.args('In "Rome"?'));
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'It is "hot"' } as const;
    const last = await answered({ model, tools, input: [...asked.input, call, result] });
    expect(last.output_text).toBe('It is "hot"');
  });

  test('events of a call', async () => {
    const events = await collected(await openai.responses.create({ model, input: 'Rome', tools, stream: true }));
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    const deltas = events.flatMap((event) =>
      event.type === 'response.function_call_arguments.delta' ? [event.delta] : [],
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(JSON.parse(deltas.join(''))).toEqual(WEATHER.args('Rome'));
  });

  test('none is called when none is wanted, or another kind is there', async () => {
    const asked = { model, input: 'hi' };
    expect((await openai.responses.create({ ...asked, tools, tool_choice: 'none' })).output_text).toBe('hi');
    expect((await openai.responses.create({ ...asked, tools: [{ type: 'web_search' }] })).output_text).toBe('hi');
  });
});

describe('errors', () => {
  test.each([
    ['bad request', OpenAI.BadRequestError],
    ['unauthorized', OpenAI.AuthenticationError],
    ['forbidden', OpenAI.PermissionDeniedError],
    ['not found', OpenAI.NotFoundError],
    ['rate limited', OpenAI.RateLimitError],
    ['quota exceeded', OpenAI.RateLimitError],
    ['server error', OpenAI.InternalServerError],
    ['overloaded', OpenAI.InternalServerError],
  ])('%s, by its name', async (name, kind) => {
    const headers = { 'x-mock-response-name': name };
    for (const stream of [false, true]) {
      await expect(openai.responses.create({ model, input: 'hi', stream }, { headers })).rejects.toBeInstanceOf(kind);
    }
  });

  test('a stream breaks off', async () => {
    const headers = { 'x-mock-response-name': 'broken off' };
    const stream = await openai.responses.create({ model, input: 'one two', stream: true }, { headers });
    await expect(collected(stream)).rejects.toThrow('terminated');
  });

  test('a rate limit that is switched on for two requests, in one session alone', async () => {
    const [limited, other] = [await mock.session(), await mock.session()];
    await limited.setScenario('rate limit', 'twice');
    const asked = async (url: string, retries: number) =>
      (await clientOf(url, retries).responses.create({ model, input: 'hi' })).output_text;
    await expect(asked(limited.url, 0)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(await asked(other.url, 0)).toBe('hi');
    expect(await asked(limited.url, 1)).toBe('hi');
    expect([await requestsOf(limited), await requestsOf(other)]).toEqual([3, 1]);
  });
});
