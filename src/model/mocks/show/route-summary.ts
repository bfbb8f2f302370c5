/** A route without what makes it large: what a list of routes shows. */
import type { Static } from 'typebox';
import { Type } from '../../schema-type.ts';
import { bodyBytes } from '../definition/body-bytes.ts';
import type { RouteRevision } from '../mock.ts';
import { SELECTIONS } from '../definition/schema.ts';

/** Responses of a route in a list of summaries. */
export const SUMMARY_RESPONSES_MAX = 10;

export const routeSummarySchema = Type.Object(
  {
    id: Type.String(),
    method: Type.String(),
    path: Type.String(),
    enabled: Type.Boolean(),
    selection: Type.Enum([...SELECTIONS]),
    revision: Type.Integer({
      description: 'Routes of this mock with the same revision are identical, in any version.',
    }),
    responses: Type.Array(
      Type.Object({
        id: Type.String(),
        label: Type.Optional(Type.String({ description: 'Absent when empty.' })),
        status: Type.Integer(),
        bodyBytes: Type.Integer({ description: 'Bytes of the decoded body, or of the text of a template.' }),
      }),
      { description: `The first ${SUMMARY_RESPONSES_MAX}.` },
    ),
    moreResponses: Type.Optional(
      Type.Integer({ description: 'Count of further responses; absent when there are none.' }),
    ),
  },
  { title: 'Route summary', description: 'A route without descriptions, headers, conditions and bodies.' },
);

type RouteSummary = Static<typeof routeSummarySchema>;

/** Members of most routes that say nothing are left out: 5,000 routes of one response take 0.9 MB. */
export function summaryOf({ revision, route }: RouteRevision): RouteSummary {
  const { id, method, path, enabled, selection, responses } = route;
  const more = responses.length - SUMMARY_RESPONSES_MAX;
  return {
    id,
    method,
    path,
    enabled,
    selection,
    revision,
    responses: responses.slice(0, SUMMARY_RESPONSES_MAX).map((response) => ({
      id: response.id,
      ...(response.label === '' ? {} : { label: response.label }),
      status: response.status,
      bodyBytes: bodyBytes(response),
    })),
    ...(more > 0 ? { moreResponses: more } : {}),
  };
}
