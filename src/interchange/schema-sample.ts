/** Placeholder of the branch: the sampler of another branch replaces this file. */
export class SampleBudget {
  nodes = 0;
}

export interface Sample {
  readonly value: unknown;
  readonly problem?: string;
}

export function sampleSchema(schema: unknown, resolve: (ref: string) => unknown, budget: SampleBudget): Sample {
  return sample(schema, resolve, budget, 0);
}

function sample(schema: unknown, resolve: (ref: string) => unknown, budget: SampleBudget, depth: number): Sample {
  if (typeof schema !== 'object' || schema === null) return { value: {} };
  if (depth > 12 || ++budget.nodes > 200_000) return { value: null, problem: 'too deep' };
  const s = schema as Record<string, unknown>;
  if (typeof s.$ref === 'string') {
    const target = resolve(s.$ref);
    if (target === undefined) return { value: null, problem: `${s.$ref} is not in the files of the import` };
    return sample(target, resolve, budget, depth + 1);
  }
  if (s.example !== undefined) return { value: s.example };
  if (Array.isArray(s.enum)) return { value: s.enum[0] };
  let problem: string | undefined;
  const inner = (each: unknown): unknown => {
    const found = sample(each, resolve, budget, depth + 1);
    problem ??= found.problem;
    return found.value;
  };
  const of = (value: unknown): Sample => (problem === undefined ? { value } : { value, problem });
  if (Array.isArray(s.allOf)) return of(Object.assign({}, ...s.allOf.map(inner)));
  for (const some of [s.oneOf, s.anyOf]) if (Array.isArray(some)) return of(inner(some[0]));
  const type = Array.isArray(s.type) ? (s.type as unknown[])[0] : s.type;
  if (type === 'object' || s.properties !== undefined) {
    return of(Object.fromEntries(Object.entries(s.properties ?? {}).map(([name, each]) => [name, inner(each)])));
  }
  if (type === 'array') return of([inner(s.items ?? {})]);
  if (type === 'integer' || type === 'number') return { value: 0 };
  if (type === 'boolean') return { value: true };
  return { value: type === 'string' ? 'string' : {} };
}

export function sampleXml(name: string, value: unknown, _schema?: unknown): string {
  return `<${name}>${JSON.stringify(value)}</${name}>`;
}
