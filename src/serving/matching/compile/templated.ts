/** What the settings of a mock add to each of its responses, and how a response is rendered. */
import type { TemplateMode } from '../../../languages/templates/template-checks.ts';
import type { HeaderLine, MockResponse, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';

/** The header lines of a response, and those of the mock whose names it does not have itself. */
export function withDefaultHeaders({ headers }: MockResponse, settings: MockSettings): readonly HeaderLine[] {
  const own = headers.filter(({ name }) => !isServersOwn(name));
  if (settings.headers === undefined) return own;
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  return [...own, ...settings.headers.filter(({ name }) => !names.has(name.toLowerCase()))];
}

export function modeOf({ templated }: MockResponse): TemplateMode {
  return templated === 'json' ? 'json' : 'text';
}
