/** The report as the API shows it: for OpenAPI, and for the types of clients. */
import { Type } from '../../model/schema-type.ts';
import { LEVELS } from '../codes/facts.ts';
import { ITEM_KINDS } from './report.ts';

const level = Type.Enum([...LEVELS], {
  description:
    'exact: it answers as its source says. approximated: nearly so, or without a part. dropped: it is left out.',
});
const counts = Type.Optional(
  Type.Object({ exact: Type.Integer(), approximated: Type.Integer(), dropped: Type.Integer() }),
);

export const reportSchema = Type.Object(
  {
    format: Type.String(),
    version: Type.Optional(Type.String()),
    detectedBy: Type.String({ description: 'What the format was recognised by.' }),
    items: Type.Object(Object.fromEntries(ITEM_KINDS.map((kind) => [`${kind}s`, counts])), {
      description:
        'How many items there are of each kind and level. An item that stays without a part of it is approximated.',
    }),
    entries: Type.Array(
      Type.Object({
        level,
        code: Type.String({ description: 'Of the catalogue that `switchyard codes` prints.' }),
        item: Type.Enum([...ITEM_KINDS]),
        source: Type.Object({
          file: Type.Optional(Type.String({ description: 'Of a bundle.' })),
          pointer: Type.String({ description: 'A JSON pointer into the file.' }),
          line: Type.Optional(Type.Integer({ description: 'From 1.' })),
        }),
        target: Type.Optional(
          Type.Object({
            routeId: Type.Optional(Type.String()),
            responseId: Type.Optional(Type.String()),
            ruleId: Type.Optional(Type.String()),
            groupId: Type.Optional(Type.String()),
          }),
        ),
        name: Type.Optional(Type.String({ description: 'The item, as "GET /cookie, response 4".' })),
        message: Type.String(),
      }),
      { description: 'What is not exact, and where.' },
    ),
    classes: Type.Array(
      Type.Object({
        code: Type.String(),
        level,
        count: Type.Integer(),
        message: Type.String(),
        ofItems: Type.Optional(Type.Boolean({ description: 'Whether what it counts is counted in `items`, too.' })),
      }),
      { description: 'What is the same many times over: counted, not listed.' },
    ),
    instead: Type.Record(Type.String(), Type.String(), {
      description: 'What to do instead, for each code of `entries` and `classes` that is not exact.',
    }),
    truncated: Type.Boolean({ description: 'Whether entries were cut. Counts are complete.' }),
  },
  { title: 'Interchange report' },
);
