/** Bodies of an API and edits of them, for the comparison of a mock with a real service: each edit with the change that it is. */
import fc from 'fast-check';

export type Body = null | boolean | number | string | readonly Body[] | { readonly [name: string]: Body };

export interface BodyEdit {
  readonly kind: 'missing' | 'type' | 'added';
  readonly at: string;
  readonly edited: Body;
}

/** Objects, of members and of arrays whose items are alike: an item is a copy of the first with other values. */
export const DRIFT_BODY: fc.Arbitrary<Body> = fc.letrec<{ value: Body; object: Body }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (Object.is(each, -0) ? 0 : each)),
    fc.string({ maxLength: 5 }),
    fc.boolean(),
    fc.tuple(tie('value'), fc.integer({ min: 0, max: 2 })).map(([first, more]) => {
      const others = Array.from({ length: more }, (_, index) => sameShape(first, index));
      return [first, ...others];
    }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('id', 'name', 'total', 'lines', 'state', 'at'), tie('value'), { maxKeys: 4 }),
})).object;

/** The same shape with other values: arrays have another item, numbers may be whole or not. */
export function sameShape(body: Body, seed: number): Body {
  if (Array.isArray(body)) {
    const items = (body as readonly Body[]).map((item, index) => sameShape(item, seed + index));
    return items.length === 0 ? items : [...items, sameShape(items[0] as Body, seed + 7)];
  }
  if (typeof body === 'object' && body !== null)
    return Object.fromEntries(
      Object.entries(body).map(([name, value], index) => [name, sameShape(value, seed + index)]),
    );
  if (typeof body === 'number') return seed % 2 === 0 ? body + 1 : body / 3 + 0.5;
  if (typeof body === 'string') return `${body}${seed}`;
  return typeof body === 'boolean' ? seed % 2 === 0 : body;
}

/** Every edit of one place, in all items of an array alike. */
export function editsOf(body: Body): BodyEdit[] {
  const edits: BodyEdit[] = [];
  collect([body], '$', ([edited]) => edited as Body, edits);
  return edits;
}

/** @param values All that stand at a place. @param put Gives the whole body with others there. */
function collect(values: readonly Body[], at: string, put: (values: readonly Body[]) => Body, edits: BodyEdit[]): void {
  const [first] = values;
  if (first === undefined) return;
  edits.push({ kind: 'type', at, edited: put(values.map(otherType)) });
  if (Array.isArray(first)) {
    const arrays = values as readonly (readonly Body[])[];
    const lengths = arrays.map(({ length }) => length);
    const items = arrays.flatMap((each) => [...each]);
    const regroup = (others: readonly Body[]): Body => {
      let from = 0;
      return put(lengths.map((length) => others.slice(from, (from += length))));
    };
    collect(items, `${at}[*]`, regroup, edits);
  } else if (typeof first === 'object' && first !== null) {
    const objects = values as readonly Readonly<Record<string, Body>>[];
    edits.push({ kind: 'added', at: `${at}.isNew`, edited: put(objects.map((each) => ({ ...each, isNew: true }))) });
    for (const name of Object.keys(first)) {
      const without = objects.map(({ [name]: _gone, ...rest }) => rest);
      edits.push({ kind: 'missing', at: `${at}.${name}`, edited: put(without) });
      const members = objects.map((each) => each[name] as Body);
      const putMembers = (others: readonly Body[]): Body =>
        put(objects.map((each, index) => ({ ...each, [name]: others[index] as Body })));
      collect(members, `${at}.${name}`, putMembers, edits);
    }
  }
}

function otherType(value: Body): Body {
  return typeof value === 'string' ? 1 : 'another type';
}

/** The same body with every second scalar changed, and the places of those. */
export function volatileTwin(body: Body): { readonly twin: Body; readonly places: readonly string[] } {
  const places = new Set<string>();
  let count = 0;
  const change = (value: Body, at: string): Body => {
    if (Array.isArray(value)) return (value as readonly Body[]).map((item) => change(item, `${at}[*]`));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, `${at}.${name}`)]));
    if (count++ % 2 === 1 || value === null) return value;
    places.add(at);
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value}!` : value === 0 ? 1 : -value;
  };
  return { twin: change(body, '$'), places: [...places].toSorted() };
}
