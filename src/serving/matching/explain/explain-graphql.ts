/** For explanations: what a request asks of a GraphQL service, as conditions and templates read it. */
import { excerpt } from '../../../base/excerpt.ts';
import { EXPLAINED_VALUES_MAX } from '../../../limits.ts';
import type { GraphqlReading } from '../../../model/mocks/definition/body-reading.ts';
import { textOf } from '../../../model/mocks/definition/operators.ts';
import type { RequestView } from '../request/request-view.ts';

/** @returns null for a request that is not GraphQL, or takes too much work. */
export function explainGraphql(view: RequestView): GraphqlReading | null {
  const { graphql } = view;
  if (graphql === undefined) return null;
  const { from, operation, type, fields, variables, hash, batch, problem } = graphql;
  return {
    from,
    ...(operation === undefined ? {} : { operation: excerpt(operation) }),
    ...(type === undefined ? {} : { type }),
    ...(fields.length === 0
      ? {}
      : { fields: fields.slice(0, EXPLAINED_VALUES_MAX).map(({ name }) => excerpt(name.value)) }),
    ...(variables === undefined ? {} : { variables: excerpt(textOf(variables, view)) }),
    ...(hash === undefined ? {} : { hash: excerpt(hash) }),
    ...(batch === undefined ? {} : { batch }),
    ...(problem === undefined ? {} : { problem: excerpt(problem) }),
  };
}
