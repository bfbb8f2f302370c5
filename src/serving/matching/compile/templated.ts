/** Adds the settings of a mock to each of its responses, and compiles how a response renders. */
import type { TemplateMode } from '../../../languages/templates/template-checks.ts';
import type { HeaderLine, MockResponse, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { STREAM_HEADERS } from '../../../model/mocks/streams/stream.ts';
import { STREAM_DEFAULTS } from '../../../model/mocks/streams/stream-schema.ts';

/** The header lines of a response, and those of the mock and of its stream whose names it does not have itself. */
export function withDefaultHeaders(
  { headers, stream }: Pick<MockResponse, 'headers' | 'stream'>,
  settings: MockSettings,
): readonly HeaderLine[] {
  const own = headers.filter(({ name }) => !isServersOwn(name));
  const all = settings.headers === undefined ? own : withOthers(own, settings.headers);
  return stream === undefined ? all : withOthers(all, STREAM_HEADERS[stream.format ?? STREAM_DEFAULTS.format]);
}

function withOthers(own: readonly HeaderLine[], others: readonly HeaderLine[]): readonly HeaderLine[] {
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  return [...own, ...others.filter(({ name }) => !names.has(name.toLowerCase()))];
}

export function modeOf({ templated }: MockResponse): TemplateMode {
  return templated === 'json' ? 'json' : 'text';
}
