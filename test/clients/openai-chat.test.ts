/** The recipe `openai-chat`, asked by the provider's own client. */
import OpenAI from 'openai';
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction';
import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';
import { collected, importRecipe, requestsOf, type RecipeMock } from '../interchange/recipes/recipe-mock.ts';
import { WEATHER } from './weather.ts';

const { server, key } = await useServer();
let mock: RecipeMock;
let openai: OpenAI;
const model = 'gpt-test';
const ask = (content: string): { model: string; messages: OpenAI.ChatCompletionMessageParam[] } => ({
  model,
  messages: [{ role: 'user', content }],
});
const tools: OpenAI.ChatCompletionFunctionTool[] = [{ type: 'function', function: WEATHER.declared }];

function clientOf(baseURL: string, options: { maxRetries?: number; defaultHeaders?: Record<string, string> } = {}) {
  return new OpenAI({ apiKey: 'sk-test', baseURL: `${baseURL}/v1`, maxRetries: 0, ...options });
}

beforeAll(async () => {
  mock = await importRecipe(server, key, 'openai-chat');
  openai = clientOf(mock.url);
});

describe('chat completions', () => {
  test('the last message comes back, as a whole', async () => {
    const { choices, usage, ...rest } = await openai.chat.completions.create(ask('Say "hi"\n now'));
    expect(choices).toMatchObject([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Say "hi"\n now' } },
    ]);
    expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 });
    expect(rest).toMatchObject({ id: expect.stringMatching(/^chatcmpl-\d+$/), object: 'chat.completion', model });
    expect(rest.created).toBeGreaterThan(1_700_000_000);
  });

  test('and the text of parts', async () => {
    const content = [
      { type: 'text', text: 'first' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'text', text: 'last' },
    ] as const;
    const { choices } = await openai.chat.completions.create({
      model,
      messages: [{ role: 'user', content: [...content] }],
    });
    expect(choices[0]?.message.content).toBe('last');
  });

  test('word by word, with the usage when it is asked for', async () => {
    const stream = await openai.chat.completions.create({
      ...ask('so it goes'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collected(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual([
      '',
      'so',
      ' it',
      ' goes',
      undefined,
      undefined,
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, null, 'stop', undefined]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 6 } });
    const plain = await collected(await openai.chat.completions.create({ ...ask('hi'), stream: true }));
    expect(plain.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('by `.stream()`', async () => {
    const stream = openai.chat.completions.stream(ask('so "it" goes'));
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    expect(await stream.finalContent()).toBe('so "it" goes');
    expect(deltas).toEqual(['so', ' "it"', ' goes']);
  });

  test.each([false, true])('a tool is called and its result comes back, streamed: %s', async (stream) => {
    const runs: unknown[] = [];
    const tool: RunnableToolFunctionWithParse<object> = {
      type: 'function',
      function: {
        ...WEATHER.declared,
        parse: (text): object => JSON.parse(text),
        function: (args) => {
          runs.push(args);
          return 'It is "hot"';
        },
      },
    };
    const asked = { ...ask('In "Rome"?'), tools: [tool] };
    const runner = stream
      ? openai.chat.completions.runTools({ ...asked, stream: true })
      : openai.chat.completions.runTools(asked);
    expect(await runner.finalContent()).toBe('It is "hot"');
    expect(runs).toEqual([WEATHER.args('In "Rome"?')]);
    expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('the tool that is named is called, and none when none is wanted', async () => {
    const other = {
      type: 'function',
      function: { name: 'other', parameters: { type: 'object', properties: {} } },
    } as const;
    const named = await openai.chat.completions.create({
      ...ask('hi'),
      tools: [...tools, other],
      tool_choice: { type: 'function', function: { name: 'other' } },
    });
    expect(named.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ type: 'function', function: { name: 'other' } }] },
    });
    const [call] = named.choices[0]?.message.tool_calls ?? [];
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({});
    const none = await openai.chat.completions.create({ ...ask('hi'), tools: [...tools], tool_choice: 'none' });
    expect(none.choices[0]?.message).toMatchObject({ content: 'hi' });
  });
});

describe('completions', () => {
  test('the prompt comes back', async () => {
    const whole = await openai.completions.create({ model, prompt: 'so it goes' });
    expect(whole).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'so it goes', finish_reason: 'stop' }],
    });
    expect(whole.usage).toMatchObject({ prompt_tokens: 3, total_tokens: 6 });
  });

  test('word by word', async () => {
    const chunks = await collected(await openai.completions.create({ model, prompt: ['so it'], stream: true }));
    expect(chunks.map(({ choices }) => choices[0]?.text)).toEqual(['so', ' it', '']);
  });
});

describe('errors', () => {
  test.each([
    ['bad request', OpenAI.BadRequestError, 'invalid_request_error', null],
    ['unauthorized', OpenAI.AuthenticationError, 'invalid_request_error', 'invalid_api_key'],
    ['forbidden', OpenAI.PermissionDeniedError, 'invalid_request_error', 'unsupported_country_region_territory'],
    ['not found', OpenAI.NotFoundError, 'invalid_request_error', 'model_not_found'],
    ['rate limited', OpenAI.RateLimitError, 'requests', 'rate_limit_exceeded'],
    ['quota exceeded', OpenAI.RateLimitError, 'insufficient_quota', 'insufficient_quota'],
    ['server error', OpenAI.InternalServerError, 'server_error', null],
    ['overloaded', OpenAI.InternalServerError, 'service_unavailable_error', null],
  ])('%s, by its name', async (name, kind, type, code) => {
    const headers = { 'x-mock-response-name': name };
    const wanted = { constructor: kind, type, code };
    for (const stream of [false, true]) {
      await expect(openai.chat.completions.create({ ...ask('hi'), stream }, { headers })).rejects.toMatchObject(wanted);
      await expect(openai.completions.create({ model, prompt: 'hi', stream }, { headers })).rejects.toMatchObject(
        wanted,
      );
    }
  });

  test('a rate limit that is switched on for two requests, in one session alone', async () => {
    const [limited, other] = [await mock.session(), await mock.session()];
    await limited.setScenario('rate limit', 'twice');
    const asked = async (url: string, maxRetries: number) =>
      (await clientOf(url, { maxRetries }).chat.completions.create(ask('hi'))).choices[0]?.message.content;
    await expect(asked(limited.url, 0)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(await asked(other.url, 0)).toBe('hi');
    expect(await asked(limited.url, 1)).toBe('hi');
    expect([await requestsOf(limited), await requestsOf(other)]).toEqual([3, 1]);
  });

  test('and for good, until it is switched off by a request', async () => {
    const { url } = await mock.session();
    const by = (name: string) => clientOf(url, { defaultHeaders: { 'x-mock-response-name': name } });
    await by('rate limit on')
      .chat.completions.create(ask('hi'))
      .catch(() => undefined);
    const asked = () => clientOf(url, { maxRetries: 1 }).completions.create({ model, prompt: 'hi', stream: true });
    await expect(asked()).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await by('rate limit off')
      .completions.create({ model, prompt: 'hi' })
      .catch(() => undefined);
    expect(await collected(await asked())).toHaveLength(2);
  });
});

test('a stream breaks off', async () => {
  const broken = clientOf(mock.url, { defaultHeaders: { 'x-mock-response-name': 'broken off' } });
  const stream = broken.chat.completions.stream(ask('one two three'));
  const deltas: string[] = [];
  stream.on('content', (delta) => deltas.push(delta));
  await expect(stream.finalContent()).rejects.toThrow('terminated');
  expect(deltas).toEqual(['one']);
  await expect(broken.completions.create({ model, prompt: 'one two', stream: true }).then(collected)).rejects.toThrow(
    'terminated',
  );
});

test('two sessions at once stream their own, and record their own', async () => {
  const sessions = await Promise.all([mock.session(), mock.session()]);
  const texts = ['one two three', 'four five six seven'];
  const answers = await Promise.all(
    sessions.map(({ url }, index) =>
      clientOf(url)
        .chat.completions.stream(ask(texts[index] ?? ''))
        .finalContent(),
    ),
  );
  expect(answers).toEqual(texts);
  expect(await Promise.all(sessions.map(requestsOf))).toEqual([1, 1]);
});
