/**
 * Well framed requests with hostile bodies against a real server: what cannot be kept exactly is refused and stores nothing,
 * what can is returned as it was sent, and no body takes the server's time or memory.
 *
 * Framing, heads and connections are framing.test.ts.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../support/effort.ts';
import { processMs } from '../support/cpu-ms.ts';
import {
  ask,
  chunked,
  expectRefusal,
  knownKey,
  RawConnection,
  rawRequest,
  type RawAnswer,
} from '../support/raw-http.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
let key: string;

// An owner without records for every test.
beforeEach(async () => {
  key = await knownKey(server, newOwner());
});

afterAll(() => expect(server.stdout).not.toContain('unhandled error in a request handler'));

const SOURCE = '{"key":"Url","operator":"Contains","value":"x"}';

/** A rule's JSON text whose pair holds a further member, given as JSON text. */
function ruleWith(member: string): string {
  return `{"name":"n","ruleType":"Cancel","pairs":[{"id":"p","source":${SOURCE},${member}}]}`;
}

function head(...more: string[]): string[] {
  return [`Host: localhost:${server.port}`, `x-api-key: ${key}`, ...more];
}

function request(line: string, body: string | Buffer, ...lines: string[]): Buffer {
  const bytes = Buffer.from(body);
  const text = rawRequest(`${line} HTTP/1.1`, head(...lines, `Content-Length: ${bytes.length}`));
  return Buffer.concat([Buffer.from(text), bytes]);
}

function post(body: string | Buffer, ...lines: string[]): Promise<RawAnswer> {
  return ask(server.port, request('POST /v1/rules', body, 'Content-Type: application/json', ...lines));
}

interface StoredRule {
  readonly id: string;
  readonly name: string;
  readonly pairs: readonly Readonly<Record<string, unknown>>[];
}

/** The rule of an answer to a POST, as a later GET returns it. */
async function expectStored(answer: RawAnswer): Promise<StoredRule> {
  expect(answer.status, answer.body.toString('utf8', 0, 300)).toBe(200);
  const { id } = (answer.json as { data: StoredRule }).data;
  const { status, json } = await server.request('GET', `/v1/rules/${id}`, { key });
  expect(status).toBe(200);
  expect(json).toEqual(answer.json);
  return json.data as StoredRule;
}

async function expectNothingStored(): Promise<void> {
  for (const list of ['rules', 'groups']) {
    const { json } = await server.request('GET', `/v1/${list}`, { key });
    expect(json).toMatchObject({ data: [], total: 0 });
  }
}

describe('what cannot be kept exactly', () => {
  const REFUSED: readonly (readonly [string, string | Buffer])[] = [
    ['an escaped high surrogate alone', ruleWith(String.raw`"x":"\ud800"`)],
    ['an escaped low surrogate alone', ruleWith(String.raw`"x":"a\udc00b"`)],
    ['escaped surrogates in the wrong order', ruleWith(String.raw`"x":"\udc00\ud800"`)],
    ['a surrogate with upper-case escapes', ruleWith(String.raw`"x":"\uD83D \uDE00"`)],
    ['a lone surrogate deep in an array', ruleWith(String.raw`"x":[[{"y":["\ud800"]}]]`)],
    ['a lone surrogate in a key', ruleWith(String.raw`"\ud800":1`)],
    ['a lone surrogate in a deep key', ruleWith(String.raw`"x":[{"y":{"a\udfff":1}}]`)],
    ['a lone surrogate in the name', ruleWith('"x":1').replace('"n"', String.raw`"\udead"`)],
    ['a key __proto__', ruleWith('"__proto__":{"polluted":true}')],
    ['a key __proto__ with a plain value', ruleWith('"__proto__":1')],
    ['a key __proto__ of null', ruleWith('"__proto__":null')],
    ['a key __proto__ at the top', `{"__proto__":{"name":"n"},${ruleWith('"x":1').slice(1)}`],
    ['a key __proto__ deep inside', ruleWith('"x":[{"y":{"__proto__":[]}}]')],
    ['an escaped key __proto__', ruleWith(String.raw`"\u005f_proto__":{"polluted":true}`)],
    ['an escaped key __proto__ at the top', `{"__prot\\u006f__":{},${ruleWith('"x":1').slice(1)}`],
    ['the same key twice', ruleWith('"x":1,"x":1')],
    ['the same key twice at the top', `{"name":"m",${ruleWith('"x":1').slice(1)}`],
    ['the same key twice, once escaped', ruleWith(String.raw`"x":1,"\u0078":2`)],
    ['the same key twice, both escaped', ruleWith(String.raw`"\u0078":1,"\u0078":2`)],
    ['the same empty key twice', ruleWith('"":1,"":2')],
    ['the same index twice', ruleWith('"0":1,"0":2')],
    ['the same key twice, objects as values', ruleWith('"x":{"a":1},"x":{"b":2}')],
    ['a key __proto__ twice', ruleWith('"__proto__":1,"__proto__":2')],
    ...[
      '1e999',
      '-1e999',
      '1e-999',
      '-1e-400',
      '12345678901234567890',
      '9007199254740993',
      '-9007199254740993',
      '0.1000000000000000055511151231257827',
      '1.00000000000000000001',
      '9007199254740992.5',
      '1e309',
      '3e-324',
      '123456789012345678',
      '0.30000000000000000004',
      `1${'0'.repeat(400)}`,
      `1e${'9'.repeat(400)}`,
      `1e-${'9'.repeat(400)}`,
    ].map((number) => [`the number ${number.slice(0, 40)}`, ruleWith(`"x":${number}`)] as const),
    ['an inexact number in an array', ruleWith('"x":[1,[2,9007199254740993]]')],
  ];

  test.each(REFUSED)('%s is refused with a reason, and nothing is stored', async (_what, body) => {
    const answer = await post(body);
    expectRefusal(answer, 400, 'Rule Payload is invalid');
    const { details } = answer.json as { details: { path: string; message: string }[] };
    expect(details).toHaveLength(1);
    expect(details[0]?.message).toMatch(/\w+ \w+/);
    const group = (body as string).replace('"name":"n"', '"name":"g"');
    expectRefusal(await ask(server.port, request('POST /v1/groups', group)), 400, 'Invalid Group Payload');
    await expectNothingStored();
  });

  test('a refused body leaves the rule of a PUT as it was', async () => {
    const before = await expectStored(await post(ruleWith('"x":1')));
    for (const [, body] of REFUSED) {
      expectRefusal(
        await ask(server.port, request(`PUT /v1/rules/${before.id}`, body)),
        400,
        'Rule Payload is invalid',
      );
    }
    expect((await server.request('GET', `/v1/rules/${before.id}`, { key })).json.data).toEqual(before);
  });

  test('no refused body has changed what objects inherit', async () => {
    await post(ruleWith('"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'));
    const answer = await post(ruleWith('"constructor":{"prototype":{"polluted":true}}'));
    expect((await expectStored(await post(ruleWith('"x":{}')))).pairs[0]?.x).toEqual({});
    expect((await expectStored(answer)).pairs[0]?.constructor).toEqual({ prototype: { polluted: true } });
  });
});

describe('what can be kept exactly', () => {
  test.each([
    '0.1',
    '1.0',
    '0',
    '0.0',
    '-0',
    '0e999',
    '-1.5',
    '1.50',
    '15e-1',
    '1E2',
    '1e+2',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '1e21',
    '1e308',
    '1.7976931348623157e308',
    '5e-324',
    '0.30000000000000004',
    '123456789012345680000',
    '0.000001',
    '1e-7',
  ])('the number %s is stored', async (number) => {
    const { x } = (await expectStored(await post(ruleWith(`"x":${number}`)))).pairs[0] as { x: number };
    // `===`: 0 and -0 are the same number.
    expect(x === Number(number)).toBe(true);
  });

  test.each([
    ['an escaped pair of surrogates', String.raw`"\ud83d\ude00"`],
    ['characters beyond the first plane', '"😀𝒳"'],
    ['escaped control characters', String.raw`"\u0000\u001f\b\f\n\r\t\"\\\/"`],
    ['noncharacters and a BOM inside a text', '"\ufeff\ufffe\uffff"'],
    ['separators of lines and paragraphs', '"\u2028\u2029"'],
    ['text that looks like JSON', String.raw`"{\"a\":1,\"a\":2,\"__proto__\":1e999}[[[["`],
    ['text that looks like markup', '"</script><!-- ]]>"'],
    ['a backslash before a quote', String.raw`"\\\\\""`],
    ['__proto__ as a value', '"__proto__"'],
    ['empty containers', '[{},[],"",null,true,false]'],
    ['equal keys in different objects', '[{"a":1},{"a":1,"b":{"a":1}}]'],
    ['keys that differ in case or form', '{"a":1,"A":2,"\u00e9":3,"e\u0301":4,"":5," ":6}'],
    ['keys like indexes', '{"10":1,"9":2,"-1":3,"1e3":4,"00":5}'],
    ['keys that objects inherit', '{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":4,"toJSON":5,"then":6}'],
    ['keys of the service itself', '{"refused":true,"kind":"badRequest","details":[],"problem":"x","value":1}'],
    ['keys close to __proto__', '{"__proto":1,"_proto__":2,"__proto__ ":3,"__PROTO__":4,"__defineGetter__":5}'],
  ])('%s comes back as it was sent', async (_what, json) => {
    const { pairs } = await expectStored(await post(ruleWith(`"x":${json}`)));
    expect(JSON.stringify(pairs[0]?.x)).toBe(JSON.stringify(JSON.parse(json)));
  });

  test('keys such as "refused" and "constructor" at the top of a body are harmless', async () => {
    for (const name of ['refused', 'constructor', 'toString', 'hasOwnProperty', 'kind', 'then', 'toJSON', 'problem']) {
      for (const value of ['true', '{"kind":"unauthorized"}', '"serverError"', 'null']) {
        const { pairs, ...rest } = await expectStored(await post(`{"${name}":${value},${ruleWith('"x":1').slice(1)}`));
        expect(pairs[0]).toEqual({ id: 'p', source: JSON.parse(SOURCE) as unknown, x: 1 });
        expect(Object.keys(rest)).not.toContain(name);
        const group = await ask(server.port, request('POST /v1/groups', `{"${name}":${value},"name":"g"}`));
        expect(group).toMatchObject({ status: 200, json: { data: { name: 'g' } } });
        // Alone it is a body without what is needed.
        expectRefusal(await post(`{"${name}":${value}}`), 400, 'Rule Payload is invalid');
        expectRefusal(
          await ask(server.port, request('POST /v1/groups', `{"${name}":${value}}`)),
          400,
          'Group Name Required',
        );
      }
    }
  });

  test('names that objects inherit are not accepted as rule types, statuses, operators or groups', async () => {
    const before = await expectStored(await post(ruleWith('"x":1')));
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']) {
      const body = ruleWith('"x":1');
      for (const [wrong, message, status] of [
        [body.replace('Cancel', name), 'Rule Payload is invalid', 400],
        [body.replace('{"name"', `{"status":"${name}","name"`), 'Rule Payload is invalid', 400],
        [body.replace('Contains', name), 'Rule pairs are invalid', 400],
        [body.replace('"Url"', `"${name}"`), 'Rule pairs are invalid', 400],
        [body.replace('{"name"', `{"groupId":"${name}","name"`), 'Group not found', 404],
      ] as const) {
        expectRefusal(await post(wrong), status, message);
        expectRefusal(await ask(server.port, request(`PUT /v1/rules/${before.id}`, wrong)), status, message);
      }
    }
  });
});

describe('nesting', () => {
  /** A rule whose deepest value is on this level; the body is the first. */
  function nested(levels: number, open = '[', close = ']'): string {
    return ruleWith(`"x":${open.repeat(levels - 3)}${close.repeat(levels - 3)}`);
  }

  // reaches JSON_DEPTH_MAX
  test('32 levels are stored, 33 are refused', async () => {
    expect(JSON.stringify((await expectStored(await post(nested(32)))).pairs[0]?.x)).toBe(
      '['.repeat(29) + ']'.repeat(29),
    );
    await expectStored(await post(ruleWith(`"x":${'{"a":'.repeat(29)}1${'}'.repeat(29)}`)));
    expectRefusal(await post(nested(33)), 400, 'Rule Payload is invalid');
    expectRefusal(await post(ruleWith(`"x":${'{"a":'.repeat(30)}1${'}'.repeat(30)}`)), 400, 'Rule Payload is invalid');
  });

  test('brackets in texts are not nesting', async () => {
    const text = `${'[{'.repeat(500)}\\"[[[`;
    expect((await expectStored(await post(ruleWith(`"x":"${text}"`)))).pairs[0]?.x).toBe(JSON.parse(`"${text}"`));
  });

  test('hundreds of thousands of levels, closed or not, are refused at once', async () => {
    for (const body of ['['.repeat(900_000), '{"a":'.repeat(190_000), nested(400_000), nested(200_000, '[[', ']]')]) {
      const before = processMs(server.pid);
      expectRefusal(await post(body), 400, 'Rule Payload is invalid');
      expect(processMs(server.pid) - before).toBeLessThan(3_000);
    }
    await expectNothingStored();
  });
});

describe('bodies that are not a JSON object', () => {
  test.each([
    ['nothing', ''],
    ['spaces', ' \r\n\t '],
    ['null', 'null'],
    ['an array', '[]'],
    ['an array of a rule', `[${ruleWith('"x":1')}]`],
    ['a text', '"x"'],
    ['a number', '1'],
    ['true', 'true'],
    ['NaN', 'NaN'],
    ['undefined', 'undefined'],
    ['NaN as a value', ruleWith('"x":NaN')],
    ['Infinity as a value', ruleWith('"x":Infinity')],
    ['-Infinity as a value', ruleWith('"x":-Infinity')],
    ['a number with leading zeros', ruleWith('"x":007')],
    ['a number with plus', ruleWith('"x":+1')],
    ['a number without whole', ruleWith('"x":.5')],
    ['a number without fraction', ruleWith('"x":1.')],
    ['a number without exponent', ruleWith('"x":1e')],
    ['a minus alone', ruleWith('"x":-')],
    ['a hexadecimal number', ruleWith('"x":0x10')],
    ['a big integer', ruleWith('"x":1n')],
    ['two numbers', ruleWith('"x":1-2')],
    ['trailing garbage', `${ruleWith('"x":1')}x`],
    ['a second object', `${ruleWith('"x":1')}{}`],
    ['a trailing comma', ruleWith('"x":[1,]')],
    ['a trailing comma in an object', ruleWith('"x":{"a":1,}')],
    ['a comment', `/* */${ruleWith('"x":1')}`],
    ['single quotes', "{'name':'n'}"],
    ['a key without quotes', '{name:"n"}'],
    ['an open text', '{"name":"n'],
    ['a text that ends in a backslash', '{"name":"n\\'],
    ['an open object', ruleWith('"x":1').slice(0, -1)],
    ['only closing brackets', ']}]}'],
    ['a raw line break in a text', ruleWith('"x":"a\nb"')],
    ['a raw NUL in a text', ruleWith('"x":"a\0b"')],
    ['a NUL at the end', `${ruleWith('"x":1')}\0`],
    ['an unknown escape', ruleWith(String.raw`"x":"\x41"`)],
    ['a cut escape', ruleWith(String.raw`"x":"\u12"`)],
    ['a byte order mark', `\ufeff${ruleWith('"x":1')}`],
    ['a no-break space around', `\u00a0${ruleWith('"x":1')}`],
    ['a form', 'name=n&ruleType=Cancel'],
    ['UTF-16', Buffer.from(ruleWith('"x":1'), 'utf16le')],
    ['a byte that is not UTF-8', latin(ruleWith('"x":"\u00ff"'))],
    ['an overlong form', latin(ruleWith('"x":"\u00c0\u00af"'))],
    ['a surrogate in UTF-8', latin(ruleWith('"x":"\u00ed\u00a0\u0080"'))],
    ['a cut character', latin(ruleWith('"x":"\u00e2\u0082"'))],
    ['a character beyond Unicode', latin(ruleWith('"x":"\u00f4\u0090\u0080\u0080"'))],
    ['a byte that is not UTF-8 in a key', latin(ruleWith('"\u00ff":1'))],
    ['compressed bytes', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
  ])('%s is refused, and nothing is stored', async (_what, body) => {
    expectRefusal(await post(body), 400, 'Rule Payload is invalid');
    expectRefusal(await ask(server.port, request('POST /v1/groups', body)), 400, 'Invalid Group Payload');
    await expectNothingStored();
  });

  test('a POST without a body and without a length is refused', async () => {
    const answer = await ask(server.port, rawRequest('POST /v1/rules HTTP/1.1', head()));
    expectRefusal(answer, 400, 'Rule Payload is invalid');
    const empty = await ask(
      server.port,
      rawRequest('POST /v1/rules HTTP/1.1', head('Transfer-Encoding: chunked'), chunked()),
    );
    expectRefusal(empty, 400, 'Rule Payload is invalid');
  });

  test('a body with spaces around it is stored', async () => {
    await expectStored(await post(` \r\n\t${ruleWith('"x" :\n1')}\r\n `));
  });
});

describe('sizes', () => {
  const MAX = 1_000_000;

  /** A rule of exactly so many bytes. */
  function sized(bytes: number, filler = 'v'): string {
    const [before, after] = ['{"name":"n","ruleType":"Response","pairs":[{"type":"static","value":"', '"}]}'];
    return before + filler.repeat((bytes - before.length - after.length) / Buffer.byteLength(filler)) + after;
  }

  function pieces(text: string, bytes: number): string[] {
    return Array.from({ length: Math.ceil(text.length / bytes) }, (_, index) =>
      text.slice(index * bytes, (index + 1) * bytes),
    );
  }

  test('a body of exactly 1,000,000 bytes is stored', async () => {
    const rule = await expectStored(await post(sized(MAX)));
    expect(String(rule.pairs[0]?.value).length).toBeGreaterThan(999_900);
  });

  test('a chunked body of exactly 1,000,000 bytes is stored, whatever its chunks', async () => {
    for (const bytes of [100_000, 65_536, 999_999, 1_009]) {
      const body = chunked(...pieces(sized(MAX), bytes));
      const lines = head('Transfer-Encoding: chunked');
      await expectStored(await ask(server.port, rawRequest('POST /v1/rules HTTP/1.1', lines, body)));
    }
  });

  test('characters of several bytes count as bytes', async () => {
    const fits = sized(MAX, 'é');
    expect(fits.length).toBeLessThan(501_000);
    await expectStored(await post(fits));
    expectRefusal(await post(`${fits}  `), 413, 'Payload too large');
  });

  // reaches bodyBytesMax
  test('a body of 1,000,001 bytes is refused, and its connection stays in step', async () => {
    const connection = await RawConnection.open(server.port);
    for (const kind of ['rules', 'groups']) {
      await connection.write(request(`POST /v1/${kind}`, sized(MAX + 1)));
      expectRefusal(await connection.answer(), 413, 'Payload too large');
    }
    await connection.write(request('POST /v1/rules', ruleWith('"x":1')));
    expect((await connection.answer()).status).toBe(200);
    await connection.close();
  });

  test('a declared length over the limit is refused before the body comes', async () => {
    for (const length of ['1000001', '0001000001', '9999999999']) {
      const answer = await ask(server.port, rawRequest('POST /v1/rules HTTP/1.1', head(`Content-Length: ${length}`)));
      expectRefusal(answer, 413, 'Payload too large');
    }
    await expectNothingStored();
  });

  test('a chunked body is refused as soon as it is over 1,000,000 bytes, and its connection closes', async () => {
    const connection = await RawConnection.open(server.port);
    const body = sized(MAX + 1);
    const lines = head('Transfer-Encoding: chunked');
    // Nothing after the byte too much: bytes that nobody reads would reset the connection, perhaps before the answer.
    await connection.write(
      rawRequest('POST /v1/rules HTTP/1.1', lines, `f4240\r\n${body.slice(0, MAX)}\r\n1\r\n${body.slice(MAX)}`),
    );
    expectRefusal(await connection.answer(), 413, 'Payload too large');
    await connection.end();
    await expectNothingStored();
  });

  test('many bodies over the limit leave the server as it was', async () => {
    const body = sized(MAX + 50_000);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const connection = await RawConnection.open(server.port);
        if (index % 2 === 0) await connection.write(request('POST /v1/rules', body));
        else {
          const lines = head('Transfer-Encoding: chunked');
          await connection.write(rawRequest('POST /v1/rules HTTP/1.1', lines, chunked(...pieces(body, 100_000))));
        }
        await connection.close();
      }),
    );
    await expectStored(await post(sized(MAX)));
    expect((await server.request('GET', '/v1/rules?pageSize=1', { key })).json.total).toBe(1);
  });

  test('a record that does not exist is refused before a body that is too large', async () => {
    const answer = await ask(server.port, request('PUT /v1/rules/Cancel_0', sized(MAX + 1)));
    expectRefusal(answer, 404, 'Rule not found');
  });
});

describe('time', () => {
  const large = (count: number, item: string): string => Array.from({ length: count }, () => item).join(',');

  test.each([
    ['a number with 150,000 zeros inside', ruleWith(`"x":1${'0'.repeat(150_000)}1`)],
    ['a fraction with 150,000 zeros inside', ruleWith(`"x":1.${'0'.repeat(150_000)}1`)],
    ['a number of runs of zeros', ruleWith(`"x":${`1${'0'.repeat(1_000)}`.repeat(900)}1`)],
    ['a number of 900,000 digits', ruleWith(`"x":${'9'.repeat(900_000)}`)],
    ['a fraction of 900,000 zeros', ruleWith(`"x":0.${'0'.repeat(900_000)}`)],
    ['an exponent of 900,000 digits', ruleWith(`"x":1e${'9'.repeat(900_000)}`)],
    ['60,000 inexact numbers', ruleWith(`"x":[${large(60_000, '0.1,9007199254740991')}]`.slice(0, 950_000))],
    ['70,000 keys', `{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['100,000 escaped texts', ruleWith(`"x":[${large(100_000, String.raw`"\u0041"`)}]`)],
    ['480,000 faulty filters', ruleWith('"y":1').replace('"x"}', `"x","filters":[${large(480_000, '1')}]}`)],
    [
      '300,000 faulty modifications',
      ruleWith(`"modifications":[${large(300_000, '{}')}]`).replace('Cancel', 'Headers'),
    ],
    [
      '1,000 faulty pairs',
      `{"name":"n","ruleType":"Headers","pairs":[${large(1_000, '{"modifications":[{},{},{}]}')}]}`,
    ],
    ['a name of 900,000 characters', ruleWith('"x":1').replace('"n"', `"${'n'.repeat(900_000)}"`)],
    ['a rule type of 900,000 characters', ruleWith('"x":1').replace('Cancel', 'C'.repeat(900_000))],
    [
      'a pattern of 9,000 characters',
      ruleWith('"y":1').replace('"Contains","value":"x"', `"Matches","value":"/${'(a*)*'.repeat(1_800)}/"`),
    ],
  ])('%s takes less than three seconds of the processor', async (_what, body) => {
    const before = processMs(server.pid);
    const { status } = await post(body);
    expect(processMs(server.pid) - before).toBeLessThan(3_000);
    expect([200, 400, 403, 413]).toContain(status);
  });
});

describe('content types', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/merge-patch+json',
    'application/vnd.api+json; version=1',
    'application/json ; x=y',
    'application/json; charset=utf8',
    'application/json; charset="UTF-8"',
    'application/json;x=y; Charset = US-ASCII ',
    'application/json; x-charset=latin1',
  ])('%s is read as JSON', async (type) => {
    await expectStored(await ask(server.port, request('POST /v1/rules', ruleWith('"x":1'), `Content-Type: ${type}`)));
  });

  test('a body without a declared type is read as JSON', async () => {
    await expectStored(await ask(server.port, request('POST /v1/rules', ruleWith('"x":1'))));
  });

  test.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'text/plain; application/json',
    'text/plain, application/json',
    'application/xml+json+xml',
    'json',
    '',
    `application/${'+'.repeat(3_000)}`,
    'application/json; charset=iso-8859-1',
    'application/json;charset=UTF-16LE',
    'application/json; charset="windows-1252"',
    'application/json; x=y; CHARSET=utf-7',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset=utf-80',
  ])('%s is refused, and nothing is stored', async (type) => {
    for (const path of ['rules', 'groups']) {
      const answer = await ask(server.port, request(`POST /v1/${path}`, ruleWith('"x":1'), `Content-Type: ${type}`));
      expectRefusal(answer, 415, 'Unsupported media type');
    }
    await expectNothingStored();
  });

  test('a charset that is not UTF-8 is named', async () => {
    const type = 'Content-Type: application/json; charset=latin1';
    const { json } = await ask(server.port, request('POST /v1/rules', ruleWith('"x":1'), type));
    expect(json).toMatchObject({ details: [{ path: 'Content-Type', message: 'expected UTF-8, got charset latin1' }] });
  });

  test.each(['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'x-unknown'])(
    'a body with the Content-Encoding %s is refused with what to do, and nothing is stored',
    async (encoding) => {
      const body = encoding === 'gzip' ? gzipSync(ruleWith('"x":1')) : ruleWith('"x":1');
      for (const path of ['rules', 'groups', 'mocks']) {
        const lines = ['Content-Type: application/json', `Content-Encoding: ${encoding}`];
        const answer = await ask(server.port, request(`POST /v1/${path}`, body, ...lines));
        expectRefusal(answer, 415, 'Unsupported media type');
        expect(answer.json).toMatchObject({ details: [{ path: 'Content-Encoding', message: 'send it uncompressed' }] });
      }
      await expectNothingStored();
    },
  );

  test('two Content-Encodings count together', async () => {
    const lines = ['Content-Encoding: gzip', 'Content-Encoding: identity'];
    expectRefusal(await post(ruleWith('"x":1'), ...lines), 415, 'Unsupported media type');
  });

  test.each(['identity', 'Identity', '', 'identity, identity'])(
    'the Content-Encoding %j means no encoding',
    async (encoding) => {
      await expectStored(await post(ruleWith('"x":1'), `Content-Encoding: ${encoding}`));
    },
  );

  test.each([
    ['UTF-8', Buffer.from(`\ufeff${ruleWith('"x":1')}`), 'the body starts with a byte order mark; send it without one'],
    [
      'UTF-16',
      Buffer.from(`\ufeff${ruleWith('"x":1')}`, 'utf16le'),
      'the body is not valid UTF-8: it starts with a UTF-16 byte order mark',
    ],
    [
      'big-endian UTF-16',
      Buffer.from(`\ufeff${ruleWith('"x":1')}`, 'utf16le').swap16(),
      'the body is not valid UTF-8: it starts with a UTF-16 byte order mark',
    ],
  ])('a byte order mark of %s is told by name', async (_what, body, message) => {
    const answer = await post(body);
    expectRefusal(answer, 400, 'Rule Payload is invalid');
    expect(answer.json).toMatchObject({ details: [{ path: '', message }] });
  });

  test('an empty body and an array get the same message: an object is needed', async () => {
    const details = [{ path: '', message: 'the body must be a JSON object' }];
    for (const body of ['', '[]', 'null', '"x"']) expect((await post(body)).json).toMatchObject({ details });
  });

  test('the mock port takes bodies as they come', async () => {
    const routes = [{ method: 'POST', path: '/x', responses: [{ body: 'taken' }] }];
    const { json } = await server.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true, routes } });
    const sent = rawRequest(
      'POST /x HTTP/1.1',
      [
        `Host: ${json.data.id}.localhost`,
        'Content-Type: application/json; charset=utf-16',
        'Content-Encoding: gzip',
        'Content-Length: 3',
      ],
      '\u00ff\u0000{',
    );
    const answer = await ask(server.mockPort, Buffer.from(sent, 'latin1'));
    expect([answer.status, answer.body.toString()]).toEqual([200, 'taken']);
  });

  test('a type without a body is ignored', async () => {
    const { id } = await expectStored(await post(ruleWith('"x":1')));
    const answer = await ask(
      server.port,
      rawRequest(`DELETE /v1/rules/${id} HTTP/1.1`, head('Content-Type: text/plain')),
    );
    expect(answer.status).toBe(200);
  });
});

describe('the Idempotency-Key', () => {
  test('an empty or overlong one is refused, and nothing is stored', async () => {
    for (const value of ['', 'k'.repeat(256)]) {
      expectRefusal(await post(ruleWith('"x":1'), `Idempotency-Key: ${value}`), 400, 'Bad Request');
    }
    await expectNothingStored();
    await expectStored(await post(ruleWith('"x":1'), `Idempotency-Key: ${'k'.repeat(255)}`));
  });

  test('one with any bytes identifies a repetition', async () => {
    const bytes = request('POST /v1/rules', ruleWith('"x":1'), 'Idempotency-Key: \n');
    const at = bytes.indexOf('\n\r\n', bytes.indexOf('Idempotency-Key'));
    const odd = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from([0xff, 0x22, 0x27, 0x80, 0x5c]),
      bytes.subarray(at + 1),
    ]);
    const first = await expectStored(await ask(server.port, odd));
    expect((await expectStored(await ask(server.port, odd))).id).toBe(first.id);
  });

  test('a refused body does not use it up', async () => {
    expectRefusal(await post('{}', 'Idempotency-Key: again'), 400, 'Rule Payload is invalid');
    await expectStored(await post(ruleWith('"x":1'), 'Idempotency-Key: again'));
  });
});

describe('every refusal', () => {
  test('is in the envelope, with its type and a request id', async () => {
    const good = ruleWith('"x":1');
    const { id } = await expectStored(await post(good));
    const other = await knownKey(server, 'another');
    const viewer = await knownKey(server, 'another', 'viewer');
    const bare = `Host: localhost:${server.port}`;
    const foreign = (line: string, withKey: string): string =>
      rawRequest(`${line} HTTP/1.1`, [bare, `x-api-key: ${withKey}`]);
    for (const [bytes, status, message] of [
      [request('GET /nothing', ''), 404, 'Not found'],
      [request('PATCH /v1/rules', good), 405, 'Method not allowed'],
      [rawRequest('GET /v1/rules HTTP/1.1', [bare]), 401, 'Unauthorized action'],
      [foreign('GET /v1/rules', 'sy_wrong_key'), 401, 'Unauthorized action'],
      [foreign('GET /v1/rules', ''), 401, 'Unauthorized action'],
      [foreign('GET /v1/rules', `${key}x`), 401, 'Unauthorized action'],
      [foreign('GET /v1/rules', 'sy_'), 401, 'Unauthorized action'],
      [foreign('GET /v1/rules', 'x'.repeat(3_000)), 401, 'Unauthorized action'],
      [foreign(`GET /v1/rules/${id}`, other), 401, 'Unauthorized action'],
      [foreign(`DELETE /v1/rules/${id}`, other), 401, 'Unauthorized action'],
      [foreign(`DELETE /v1/rules/${id}`, viewer), 401, 'Unauthorized action'],
      [request('GET /v1/rules/Cancel_0', ''), 404, 'Rule not found'],
      [request('GET /v1/groups/zz', ''), 400, 'Invalid Group Id'],
      [request('GET /v1/groups/Group_0', ''), 404, 'Group not found'],
      [request('GET /v1/rules?offset=-1', ''), 400, 'Bad Request'],
      [request('GET /v1/rules?pageSize=1e3', ''), 400, 'Bad Request'],
      [request('GET /v1/rules?offset=1&offset=2', ''), 400, 'Bad Request'],
      [request('GET /v1/rules?status=%00', ''), 400, 'Bad Request'],
      [request(`PUT /v1/rules/${id}`, good.replace('Cancel', 'Delay')), 405, 'Rule Type update not allowed'],
      [request(`PUT /v1/rules/${id}`, good, 'If-Match: "none"'), 412, 'Precondition failed'],
      [request('POST /v1/groups', '{"name":1}'), 400, 'Invalid Group Payload'],
      [request('POST /v1/groups', '{"name":" "}'), 400, 'Group Name Required'],
      [
        request('POST /v1/rules', good.replace('"id":"p",', '"destination":1,').replace('Cancel', 'Redirect')),
        400,
        'Rule pairs are invalid',
      ],
    ] as const) {
      expectRefusal(await ask(server.port, bytes), status, message);
    }
    const invalid = await ask(server.port, request('GET /v1/rules?q=%ff%zz%&groupId=%', ''));
    expect(invalid.status).toBe(200);
  });
});

describe('any body', () => {
  test('any JSON in a rule comes back as it was sent, or is refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), async (value) => {
        const answer = await post(ruleWith(`"x":${JSON.stringify(value)}`));
        const text = JSON.stringify(value);
        if (/"__proto__":|\\ud[89a-f]/.test(text)) return expectRefusal(answer, 400, 'Rule Payload is invalid');
        expect(JSON.stringify((await expectStored(answer)).pairs[0]?.x)).toBe(text);
      }),
      { numRuns: runs(200) },
    );
  });

  test('any JSON as a body, and any damage to a good one, is answered and never a server error', async () => {
    const good = Buffer.from(ruleWith('"x":[1.5,"\\u00e9",{"a":null}]'));
    const damaged = fc
      .tuple(fc.nat(good.length - 1), fc.uint8Array({ maxLength: 3 }), fc.nat(3))
      .map(([at, bytes, removed]) => Buffer.concat([good.subarray(0, at), bytes, good.subarray(at + removed)]));
    const connection = await RawConnection.open(server.port);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          damaged,
          fc.json().map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
        ),
        fc.constantFrom('rules', 'groups'),
        async (body, path) => {
          await connection.write(request(`POST /v1/${path}`, body));
          const { status, json } = await connection.answer();
          expect([200, 400, 404]).toContain(status);
          expect(json).toMatchObject({ success: status === 200 });
        },
      ),
      { numRuns: runs(500) },
    );
    await connection.close();
  });
});

/** Each character as one byte. */
function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
