import { expect, test } from 'vitest';
import { compile, compiledAnswer, define, explainedAnswer, request, response, route } from '../../support/mocks.ts';

const VARIABLES = { shop: { name: 'Corner', tags: ['a', 'b'] }, 'a.b': 1, zero: 0, none: null };

function render(body: string, templated: true | 'json' = true): string | undefined {
  const definition = define([route('POST /', [response({ templated, body })])], { variables: VARIABLES });
  const asked = request('POST', '/?path=shop.name', { body: '{"list":[1,2]}' });
  const answer = compiledAnswer(compile(definition), asked, 7);
  expect(explainedAnswer(definition, asked, 7)).toEqual(answer);
  return answer?.body;
}

test.each([
  ['{{requestNumber}}', '7'],
  [
    "{{variable 'shop.name'}} {{variable 'shop.tags.1'}} {{variable 'shop'}}",
    'Corner b {"name":"Corner","tags":["a","b"]}',
  ],
  ["{{variable (queryParam 'path')}}", 'Corner'],
  ["{{variable 'zero' 5}} {{variable 'none' 5}} {{variable 'x' (add 2 3)}}", '0 5 5'],
  ["{{variable 'constructor' 'own'}} {{variable '__proto__' 'own'}} {{variable 'shop.tags.length'}}", 'own own 2'],
  ["{{setVar 'n' (add 1 2)}}{{n}} {{add n 1}} {{var 'n'}} {{var (concat 'n' '')}}", '3 4 3 3'],
  ["{{var 'n'}}|{{setVar 'n' 1}}{{var 'n'}}|{{setVar 'n' 2}}{{var 'n'}}", '|1|2'],
  ["{{setVar 'list' (body 'list')}}{{list.1}} {{#each list}}{{this}}{{/each}} {{len list}}", '2 12 2'],
  ["{{setVar 'sum' 0}}{{#each (body 'list')}}{{setVar 'sum' (add sum this)}}{{/each}}{{sum}}", '3'],
  ["{{var 'constructor'}}{{var '__proto__'}}", ''],
])('%s renders as %s', (template, expected) => {
  expect(render(template)).toBe(expected);
});

test('setVar prints nothing in JSON, and its value stays what it was', () => {
  expect(
    render(
      `{{setVar 'n' (add 1 2)}}{{setVar 's' 'a"b'}}{"n":{{n}},"s":{{s}},"t":"{{s}}","v":{{variable 'shop.tags'}}}`,
      'json',
    ),
  ).toBe('{"n":3,"s":"a\\"b","t":"a\\"b","v":["a","b"]}');
});

test('JSON that a helper prints is a value of JSON, and text inside a string', () => {
  expect(
    render(
      `{"a":{{json (body 'list')}},"b":{{formatJson (body 'list') format='compact'}},"c":{{json (body 'no')}}}`,
      'json',
    ),
  ).toBe('{"a":[1,2],"b":[1,2],"c":null}');
  expect(render(`{"a":"{{json (object a=1)}}","b":{{json 'x"'}}}`, 'json')).toBe('{"a":"{\\"a\\":1}","b":"x\\""}');
});
