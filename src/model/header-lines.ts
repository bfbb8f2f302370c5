/** Header lines: those of a definition, and in a question about an exchange as lines, or by name. */
import type { Static } from 'typebox';
import { CLOSED, EXPECTED, EXPECTED_TYPE, Type } from './schema-type.ts';

export const headerLineSchema = Type.Object({ name: Type.String(), value: Type.String() });

/** Lines of a definition. */
export function linesShape(description: string) {
  return Type.Array(Type.Object(headerLineSchema.properties, CLOSED), {
    maxItems: 100,
    description,
    [EXPECTED_TYPE]: 'an array of {name, value}',
  });
}

export const givenHeadersSchema = Type.Union(
  [Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])), Type.Array(headerLineSchema)],
  {
    [EXPECTED]: 'an object of values by name, or an array of {name, value}',
    description: 'By name, or as lines like those of a response.',
  },
);

type GivenHeaders = Static<typeof givenHeadersSchema>;

/** A line, with JSON pointers into the headers to where its name and its value stand. */
interface GivenLine {
  readonly name: string;
  readonly value: string;
  readonly nameAt: string;
  readonly valueAt: string;
}

export function givenLines(headers: GivenHeaders): GivenLine[] {
  if (Array.isArray(headers)) {
    return headers.map(({ name, value }, index) => ({
      name,
      value,
      nameAt: `/${index}/name`,
      valueAt: `/${index}/value`,
    }));
  }
  return Object.entries(headers).flatMap(([name, given]) => {
    const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Array.isArray(given)) return [{ name, value: given, nameAt: at, valueAt: at }];
    return given.map((value, index) => ({ name, value, nameAt: at, valueAt: `${at}/${index}` }));
  });
}
