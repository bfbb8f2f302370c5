/** One of the closest requests against an expectation, member by member. Pure. */
import type { Expectation, Verification } from '../../client/shapes.ts';

export type Closest = NonNullable<Verification['closest']>[number];

export interface MemberVerdict {
  readonly label: string;
  readonly fits: boolean;
  readonly expected: string;
  /** undefined: it has none. */
  readonly actual: string | undefined;
}

/** In the order of the form. What differs is the server's verdict; parameters and headers are compared here one by one. */
export function verdictsOf({ match }: Expectation, request: Closest): MemberVerdict[] {
  const differs = new Set(request.differs);
  const query = new URLSearchParams(request.query);
  const { method, path, header = {}, query: parameters = {}, bodyContains } = match;
  return [
    ...(method === undefined
      ? []
      : [{ label: 'method', fits: !differs.has('method'), expected: method, actual: request.method }]),
    ...(path === undefined
      ? []
      : [{ label: 'path', fits: !differs.has('path'), expected: path, actual: request.path }]),
    ...Object.entries(parameters).map(([name, expected]) => {
      const values = query.getAll(name);
      return oneOf(`query ${name}`, differs.has('query'), expected, values);
    }),
    ...Object.entries(header).map(([name, expected]) => {
      const values = request.headers.filter((line) => line.name === name.toLowerCase()).map(({ value }) => value);
      return oneOf(`header ${name}`, differs.has('header'), expected, values);
    }),
    ...(bodyContains === undefined
      ? []
      : [{ label: 'body', fits: !differs.has('bodyContains'), expected: bodyContains, actual: bodyText(request) }]),
  ];
}

function oneOf(label: string, differs: boolean, expected: string, values: readonly string[]): MemberVerdict {
  const fits = !differs || values.includes(expected);
  return { label, fits, expected, actual: fits ? expected : values.length === 0 ? undefined : values.join(', ') };
}

const bodyText = ({ body, bodyEncoding }: Closest): string | undefined => {
  if (body === '') return undefined;
  return bodyEncoding === undefined ? body : 'bytes that are no text';
};
