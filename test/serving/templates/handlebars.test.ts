/** Templates against Handlebars, on generated templates of what both have: values, blocks, paths, helpers, white space. */
import fc from 'fast-check';
import Handlebars from 'handlebars';
import { expect, test } from 'vitest';
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';
import { runs } from '../../support/effort.ts';

/** Handlebars with the helpers that are ours alone. */
function oracle(): typeof Handlebars {
  const own = Handlebars.create();
  own.registerHelper({
    eq: (one: unknown, other: unknown) => one === other,
    not: (value: unknown) => value === 0 || own.Utils.isEmpty(value),
    upper: (text: unknown) => (typeof text === 'string' ? text : '').toUpperCase(),
    concat: (...args: unknown[]) => args.slice(0, -1).join(''),
    array: (...args: unknown[]) => args.slice(0, -1),
  });
  return own;
}

const HANDLEBARS = oracle();

/** Without characters that Handlebars escapes: with `noEscape` it adds up two booleans that follow each other. */
const leaf = fc.oneof(fc.stringMatching(/^[a-z ]{0,6}$/), fc.integer({ min: 1, max: 99 }), fc.boolean());
const body = fc.record({
  a: leaf,
  b: leaf,
  none: fc.constantFrom(null, '', false, 0),
  user: fc.record({ name: leaf, tags: fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 3 }) }),
  list: fc.array(fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), ok: fc.boolean() }), { maxLength: 4 }),
});

const PATHS = ['a', 'b', 'none', 'missing', 'user.name', 'user.none', 'list.[0].name', 'list.1.name', 'user.tags.[0]'];
const fromRequest = fc.constantFrom(...PATHS).map((path) => `request.body.${path}`);
const words = fc.stringMatching(/^[a-z ]{0,5}$/).map((text) => `'${text}'`);
/** @param names What a block around it gives. */
const simple = (names: readonly string[]) =>
  names.length === 0 ? fromRequest : fc.oneof(fromRequest, fc.constantFrom(...names));
const expression = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    simple(names),
    simple(names).map((value) => `upper 'x${value.length}'`),
    fc.tuple(words, words).map(([one, other]) => `concat ${one} (concat ${other} 'z')`),
    fc.tuple(words, words).map(([one, other]) => `eq ${one} ${other}`),
  );
const condition = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    simple(names),
    simple(names).map((value) => `(not ${value})`),
    fc.tuple(simple(names), words).map(([value, text]) => `(eq ${value} ${text})`),
  );
const tilde = fc.constantFrom('', '', '', '~');
/** Without a brace at an end, which Handlebars refuses beside a tag. */
const plainText = fc.stringMatching(/^[a-z{}":,. ]{0,8}$/).filter((text) => !/\{\{|^\}|\{$/.test(text));

function parts(depth: number, names: readonly string[]): fc.Arbitrary<string> {
  const value = fc.tuple(tilde, expression(names), tilde).map(([left, inner, right]) => `{{${left}${inner}${right}}}`);
  const comment = fc.constantFrom('{{! note }}', '{{!-- a }} b --}}');
  const leaves = [plainText, value, comment] as const;
  if (depth === 0) return fc.array(fc.oneof(...leaves), { maxLength: 4 }).map((all) => all.join(''));
  const inner = parts(depth - 1, names);
  const item = parts(depth - 1, [...names, 'this.name', '@index', '@first', '@last']);
  const block = fc.oneof(
    fc
      .tuple(condition(names), inner, condition(names), inner, inner)
      .map(
        ([first, yes, second, other, no]) => `{{#if ${first}}}${yes}{{else if ${second}}}${other}{{else}}${no}{{/if}}`,
      ),
    fc.tuple(condition(names), inner, tilde).map(([first, no, trim]) => `{{#unless ${first}${trim}}}${no}{{/unless}}`),
    fc
      .tuple(item, inner, tilde)
      .map(([yes, no, trim]) => `{{${trim}#each request.body.list}}${yes}{{else}}${no}{{/each}}`),
    item.map((yes) => `{{#each request.body.list as |one at|}}${yes}{{one.name}}{{at}}{{/each}}`),
    inner.map((yes) => `{{#each request.body.user.tags}}${yes}{{this}}{{@index}}{{/each}}`),
    inner.map((yes) => `{{#with request.body.user as |who|}}${yes}{{who.name}}{{else}}no{{/with}}`),
  );
  return fc.array(fc.oneof(...leaves, block), { maxLength: 4 }).map((all) => all.join(''));
}

/** In the scope of a block, Handlebars would look for `request` in the item. */
function forHandlebars(template: string): string {
  return template.replaceAll('request.body', '@root.request.body');
}

test('what both have renders the same', () => {
  let rendered = 0;
  fc.assert(
    fc.property(parts(2, []), body, (inner, data) => {
      // Of a tag that has a line for itself, Handlebars leaves out the line.
      const template = `|${inner}|`;
      expect(templateProblem(template, 'text')).toBeUndefined();
      const mock = compile(define([route('POST /', [response({ templated: true, body: template })])]));
      const answer = compiledAnswer(mock, request('POST', '/', { body: JSON.stringify(data) }));
      expect(answer?.problem).toBeUndefined();
      const expected = HANDLEBARS.compile(forHandlebars(template))({ request: { body: data } });
      expect(answer?.body).toBe(expected);
      rendered++;
    }),
    { numRuns: runs(2_000) },
  );
  expect(rendered).toBeGreaterThanOrEqual(runs(2_000));
});
