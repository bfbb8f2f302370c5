/** The recipe `anthropic-messages`, asked by the provider's own client. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';
import { collected, importRecipe, requestsOf, type RecipeMock } from '../interchange/recipes/recipe-mock.ts';
import { WEATHER } from './weather.ts';

const { server, key } = await useServer();
let mock: RecipeMock;
let anthropic: Anthropic;
const model = 'claude-test';
const ask = (content: Anthropic.MessageParam['content']): Anthropic.MessageCreateParamsNonStreaming => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content }],
});
const { name, description, parameters } = WEATHER.declared;
const tools: Anthropic.Tool[] = [{ name, description, input_schema: parameters }];

const clientOf = (baseURL: string, maxRetries = 0) => new Anthropic({ apiKey: 'sk-test', baseURL, maxRetries });

beforeAll(async () => {
  mock = await importRecipe(server, key, 'anthropic-messages');
  anthropic = clientOf(mock.url);
});

describe('text', () => {
  test('the last message comes back, as a whole', async () => {
    const message = await anthropic.messages.create(ask('Say "hi"\n now'));
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Say "hi"\n now' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 3 },
    });
  });

  test('and the text of blocks', async () => {
    const { content } = await anthropic.messages.create(
      ask([
        { type: 'text', text: 'first' },
        { type: 'text', text: 'last' },
      ]),
    );
    expect(content).toEqual([{ type: 'text', text: 'last' }]);
  });

  test('word by word', async () => {
    const events = await collected(await anthropic.messages.create({ ...ask('so it goes'), stream: true }));
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test('by `.stream()`', async () => {
    const stream = anthropic.messages.stream(ask('so "it" goes'));
    const deltas: string[] = [];
    stream.on('text', (delta) => deltas.push(delta));
    expect(await stream.finalMessage()).toMatchObject({
      content: [{ type: 'text', text: 'so "it" goes' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 3 },
    });
    expect(deltas).toEqual(['so', ' "it"', ' goes']);
  });
});

describe('tools', () => {
  test.each([false, true])('a tool is called and its result comes back, streamed: %s', async (stream) => {
    const runs: unknown[] = [];
    const tool = betaTool({
      name,
      description,
      inputSchema: parameters,
      run: (args) => {
        runs.push(args);
        return 'It is "hot"';
      },
    });
    const asked = {
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'In "Rome"?' } as const],
      tools: [tool],
    };
    const runner = stream
      ? anthropic.beta.messages.toolRunner({ ...asked, stream: true })
      : anthropic.beta.messages.toolRunner(asked);
    const { content, stop_reason: reason } = await runner.runUntilDone();
    expect([content, reason]).toEqual([[expect.objectContaining({ type: 'text', text: 'It is "hot"' })], 'end_turn']);
    expect(runs).toEqual([WEATHER.args('In "Rome"?')]);
  });

  test('a streamed call has its input', async () => {
    const message = await anthropic.messages.stream({ ...ask('Rome'), tools }).finalMessage();
    expect(message).toMatchObject({
      content: [{ type: 'tool_use', name, input: WEATHER.args('Rome') }],
      stop_reason: 'tool_use',
    });
  });

  test('a result of blocks comes back, too', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name, input: {} } as const;
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'hot' }] } as const;
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'Rome' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ ...result, content: [...result.content] }] },
    ];
    const { content } = await anthropic.messages.create({ ...ask(''), messages, tools });
    expect(content).toEqual([{ type: 'text', text: 'hot' }]);
  });

  test('the tool that is named is called, and none when none is wanted', async () => {
    const other: Anthropic.Tool = { name: 'other', input_schema: { type: 'object', properties: {} } };
    const asked = { ...ask('hi'), tools: [...tools, other] };
    const named = await anthropic.messages.create({ ...asked, tool_choice: { type: 'tool', name: 'other' } });
    expect(named.content).toMatchObject([{ type: 'tool_use', name: 'other', input: {} }]);
    const none = await anthropic.messages.create({ ...asked, tool_choice: { type: 'none' } });
    expect(none.content).toMatchObject([{ type: 'text', text: 'hi' }]);
  });
});

describe('errors', () => {
  test.each([
    ['bad request', Anthropic.BadRequestError, 'invalid_request_error'],
    ['unauthorized', Anthropic.AuthenticationError, 'authentication_error'],
    ['forbidden', Anthropic.PermissionDeniedError, 'permission_error'],
    ['not found', Anthropic.NotFoundError, 'not_found_error'],
    ['too large', Anthropic.ContentTooLargeError, 'request_too_large'],
    ['rate limited', Anthropic.RateLimitError, 'rate_limit_error'],
    ['server error', Anthropic.InternalServerError, 'api_error'],
    ['overloaded', Anthropic.OverloadedError, 'overloaded_error'],
  ])('%s, by its name', async (label, kind, type) => {
    const headers = { 'x-mock-response-name': label };
    for (const stream of [false, true]) {
      const asked = anthropic.messages.create({ ...ask('hi'), stream }, { headers });
      await expect(asked).rejects.toMatchObject({ constructor: kind, error: { type: 'error', error: { type } } });
    }
  });

  test('a stream breaks off', async () => {
    const stream = anthropic.messages.stream(ask('one two'), { headers: { 'x-mock-response-name': 'broken off' } });
    const deltas: string[] = [];
    stream.on('text', (delta) => deltas.push(delta));
    await expect(stream.finalMessage()).rejects.toThrow('terminated');
    expect(deltas).toEqual(['one']);
  });

  test('a rate limit that is switched on for two requests, in one session alone', async () => {
    const [limited, other] = [await mock.session(), await mock.session()];
    await limited.setScenario('rate limit', 'twice');
    const asked = async (url: string, retries: number) =>
      (await clientOf(url, retries).messages.create(ask('hi'))).stop_reason;
    await expect(asked(limited.url, 0)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    expect(await asked(other.url, 0)).toBe('end_turn');
    expect(await asked(limited.url, 1)).toBe('end_turn');
    expect([await requestsOf(limited), await requestsOf(other)]).toEqual([3, 1]);
  });
});

test('two sessions at once stream their own, and record their own', async () => {
  const sessions = await Promise.all([mock.session(), mock.session()]);
  const texts = ['one two three', 'four five six seven'];
  const answers = await Promise.all(
    sessions.map(({ url }, index) =>
      clientOf(url)
        .messages.stream(ask(texts[index] ?? ''))
        .finalText(),
    ),
  );
  expect(answers).toEqual(texts);
  expect(await Promise.all(sessions.map(requestsOf))).toEqual([1, 1]);
});
