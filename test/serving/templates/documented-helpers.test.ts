/** The examples of helpers that docs/templates.md is made of: each gives what it says, for the request of the page. */
import { describe, expect, test } from 'vitest';
import { HELPER_DOCS } from '../../../src/languages/templates/helper-docs.ts';
import { SIGNATURES, type Signature } from '../../../src/languages/templates/signatures.ts';
import { templateProblem, unknownHelpers } from '../../../src/languages/templates/template-checks.ts';
import { documentedRequest, documentedRoute, documentedSettings } from '../../support/documented-examples.ts';
import { compile, compiledAnswer, define, explainedAnswer, response, route } from '../../support/mocks.ts';

const EXAMPLES = Object.entries(HELPER_DOCS).flatMap(([helper, examples]) =>
  examples.map((each) => ({ ...each, helper })),
);

describe('the helpers of docs/templates.md', () => {
  test.each(EXAMPLES)('$example gives $gives', ({ helper, takes, example, gives }) => {
    expect(templateProblem(example, 'text')).toBeUndefined();
    expect([...unknownHelpers(example)]).toEqual([]);
    expect(example).toContain(helper);
    expect(takes.split(' ')[0]).toBe(helper);
    const definition = define(
      [route(documentedRoute(), [response({ templated: true, body: example })])],
      documentedSettings(),
    );
    const answer = compiledAnswer(compile(definition), documentedRequest());
    expect(explainedAnswer(definition, documentedRequest())).toEqual(answer);
    expect(answer?.problem).toBeUndefined();
    expect(Buffer.from(answer?.body ?? '', 'latin1').toString()).toBe(gives);
  });

  test('have examples for editors that are templates without a problem', () => {
    for (const [name, { example }] of Object.entries(SIGNATURES as Readonly<Record<string, Signature>>)) {
      expect(templateProblem(`{{${example}}}`, 'text'), name).toBeUndefined();
      expect(example.split(' ')[0]).toBe(name);
    }
  });
});
