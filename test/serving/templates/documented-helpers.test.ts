/** docs/templates.md against the helpers: each is listed, and every example gives what the page says. */
import { describe, expect, test } from 'vitest';
import { OTHER_NAMES, SIGNATURES, type Signature } from '../../../src/languages/templates/signatures.ts';
import { templateProblem, unknownHelpers } from '../../../src/languages/templates/template-checks.ts';
import {
  documentedExamples,
  documentedNames,
  documentedRequest,
  documentedRoute,
  documentedRows,
  documentedSettings,
} from '../../support/documented-examples.ts';
import { compile, compiledAnswer, define, explainedAnswer, response, route } from '../../support/mocks.ts';

const EXAMPLES = documentedExamples();

describe('the helpers of docs/templates.md', () => {
  test.each(EXAMPLES)('$example gives $gives', ({ helper, example, gives }) => {
    expect(templateProblem(example, 'text')).toBeUndefined();
    expect([...unknownHelpers(example)]).toEqual([]);
    expect(example).toContain(helper);
    const definition = define(
      [route(documentedRoute(), [response({ templated: true, body: example })])],
      documentedSettings(),
    );
    const answer = compiledAnswer(compile(definition), documentedRequest());
    expect(explainedAnswer(definition, documentedRequest())).toEqual(answer);
    expect(answer?.problem).toBeUndefined();
    expect(Buffer.from(answer?.body ?? '', 'latin1').toString()).toBe(gives);
  });

  test('every row of a table is an example', () => {
    expect(documentedRows()).toBe(EXAMPLES.length);
  });

  test('are all there are, and have their other names', () => {
    expect(new Set(EXAMPLES.map(({ helper }) => helper))).toEqual(new Set(Object.keys(SIGNATURES)));
    expect(documentedNames()).toEqual(OTHER_NAMES);
  });

  test('have examples for editors that are templates without a problem', () => {
    for (const [name, { example }] of Object.entries(SIGNATURES as Readonly<Record<string, Signature>>)) {
      expect(templateProblem(`{{${example}}}`, 'text'), name).toBeUndefined();
      expect(example.split(' ')[0]).toBe(name);
    }
  });
});
