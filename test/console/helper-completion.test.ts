/** What the editor completes is what templates know. */
import { expect, test } from 'vitest';
import { HELPERS } from '../../src/console/parts/helper-completion.ts';
import { parseTemplate, TEMPLATE_HELPERS } from '../../src/languages/templates/template-syntax.ts';

test('every helper is completed, to a form that renders', () => {
  expect(Object.keys(HELPERS)).toEqual([...TEMPLATE_HELPERS]);
  for (const [name, [insert]] of Object.entries(HELPERS)) {
    expect(parseTemplate(`{{${insert}}}`)).toMatchObject([{ kind: 'helper', helper: name }]);
  }
});
