/** The report as the API shows it: for OpenAPI, and for the types of clients. */
import { Type } from '../../model/schema-type.ts';
import { LEVELS } from '../codes/facts.ts';
import { ITEM_KINDS } from './report.ts';

const level = Type.Enum([...LEVELS], {
  description:
    'exact: behaves like the source. approximated: behaves almost like it, or lacks a part. dropped: not imported or exported.',
});
const counts = Type.Optional(
  Type.Object({ exact: Type.Integer(), approximated: Type.Integer(), dropped: Type.Integer() }),
);

const place = Type.Object({
  file: Type.Optional(Type.String({ description: 'Path of the file, in a bundle.' })),
  pointer: Type.String({ description: 'A JSON pointer into the file.' }),
  line: Type.Optional(Type.Integer({ description: 'From 1.' })),
});

export const reportSchema = Type.Object(
  {
    format: Type.String(),
    version: Type.Optional(Type.String()),
    detectedBy: Type.String({ description: 'How the format was detected.' }),
    items: Type.Object(Object.fromEntries(ITEM_KINDS.map((kind) => [`${kind}s`, counts])), {
      description: 'Count of items by kind and level. An item that lacks a part is approximated.',
    }),
    entries: Type.Array(
      Type.Object({
        level,
        code: Type.String({ description: 'Code from the catalogue that `switchyard codes` prints.' }),
        item: Type.Enum([...ITEM_KINDS]),
        source: place,
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
      { description: 'Parts that are not exact, with their places.' },
    ),
    classes: Type.Array(
      Type.Object({
        code: Type.String(),
        level,
        count: Type.Integer(),
        message: Type.String(),
        ofItems: Type.Optional(Type.Boolean({ description: 'Whether its items are also counted in `items`.' })),
        first: Type.Optional(Type.Array(place, { description: 'The first places, where it is not exact.' })),
      }),
      { description: 'Repeated findings, which are counted instead of listed.' },
    ),
    instead: Type.Record(Type.String(), Type.String(), {
      description: 'Remedies by code, for the codes of `entries` and `classes` that are not exact.',
    }),
    truncated: Type.Boolean({ description: 'Whether the list of entries is truncated. Counts are complete.' }),
  },
  { title: 'Interchange report' },
);
