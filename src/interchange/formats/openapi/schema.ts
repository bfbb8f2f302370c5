/**
 * The schemas of OpenAPI documents: accounts for their keywords, follows their references, and makes a sample where a body has no example.
 *
 * Every schema is read once, however many references lead to it; one that leads to itself ends there.
 */
import { isObject } from '../../../base/json-object.ts';
import { isOf, valuesIn, type Kind, type Members } from '../../reading/members.ts';
import type { ReportWriter } from '../../report/report.ts';
import { fits } from '../../samples/fits.ts';
import { SampleRun } from '../../samples/run.ts';
import { sampleSchema, SampleBudget, type Sample } from '../../samples/schema-sample.ts';
import type { Member } from '../../source/member.ts';
import { referenceIn, type References } from '../../source/reference.ts';

interface SchemaSample extends Sample {
  /** Whether the value is an example that the schema itself has. */
  readonly isExample: boolean;
}

export interface NamedSchema {
  readonly schema: unknown;
  /** "Pet" of "#/components/schemas/Pet"; "" without a reference. */
  readonly name: string;
  /** Finds the target of a reference in it. */
  readonly resolve: (reference: string) => unknown;
}

/** Content of a keyword: a schema, a list of them, an object of them, or data of one of the kinds. */
type Keyword = 'schema' | 'schemas' | 'named' | 'lists' | readonly Kind[];

const NUMBER: Keyword = ['number'];
const TEXT: Keyword = ['text'];
const FLAG: Keyword = ['flag'];
const ANY: Keyword = ['any'];

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['properties', 'named'],
  ['patternProperties', 'named'],
  ['definitions', 'named'],
  ['$defs', 'named'],
  ['dependentSchemas', 'named'],
  ['dependencies', 'lists'],
  ['dependentRequired', ['object']],
  ['additionalProperties', 'schema'],
  ['additionalItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['propertyNames', 'schema'],
  ['items', 'schemas'],
  ['prefixItems', 'schemas'],
  ['contains', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['contentSchema', 'schema'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['type', ['text', 'array']],
  ['enum', ['array']],
  ['const', ANY],
  ['default', ANY],
  ['example', ANY],
  ['examples', ['array', 'object']],
  ['required', ['array']],
  ['multipleOf', NUMBER],
  ['minimum', NUMBER],
  ['maximum', NUMBER],
  ['exclusiveMinimum', ['number', 'flag']],
  ['exclusiveMaximum', ['number', 'flag']],
  ['minLength', NUMBER],
  ['maxLength', NUMBER],
  ['minItems', NUMBER],
  ['maxItems', NUMBER],
  ['minContains', NUMBER],
  ['maxContains', NUMBER],
  ['minProperties', NUMBER],
  ['maxProperties', NUMBER],
  ['uniqueItems', FLAG],
  ['nullable', FLAG],
  ['readOnly', FLAG],
  ['writeOnly', FLAG],
  ['deprecated', FLAG],
  ['pattern', TEXT],
  ['format', TEXT],
  ['title', TEXT],
  ['description', TEXT],
  ['contentEncoding', TEXT],
  ['contentMediaType', TEXT],
  ['collectionFormat', TEXT],
  ['$ref', TEXT],
  ['$id', TEXT],
  ['$schema', TEXT],
  ['$anchor', TEXT],
  ['$comment', TEXT],
  ['$dynamicRef', TEXT],
  ['$dynamicAnchor', TEXT],
  ['$vocabulary', ['object']],
  ['discriminator', ['object', 'text']],
  ['xml', ['object']],
  ['externalDocs', ['object']],
]);

export class Schemas {
  readonly #report: ReportWriter;
  readonly #references: References;
  /** The file in which the document begins. */
  readonly #entry: string;
  readonly #budget = new SampleBudget();
  /** However many examples are checked, the same bodies are made. */
  readonly #checks = new SampleBudget();
  readonly #read = new Set<unknown>();
  readonly #waiting: Member[] = [];
  #isReading = false;
  readonly #keepsLeaves: boolean;
  readonly #samples = new Map<unknown, SchemaSample>();
  readonly #copies = new Map<unknown, unknown>();

  /** @param keepsLeaves Whether samples say what their parts were made of. */
  constructor(references: References, entry: string, report: ReportWriter, keepsLeaves: boolean) {
    this.#keepsLeaves = keepsLeaves;
    this.#references = references;
    this.#entry = entry;
    this.#report = report;
  }

  /** Accounts for a schema, and for all that it refers to. */
  read(schema: Member): void {
    this.#waiting.push(schema);
    // What is referred to waits its turn: a chain of references is longer than a stack.
    if (this.#isReading) return;
    this.#isReading = true;
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (typeof next.value === 'object') next.whole();
      this.#readSchema(next.value, next);
    }
    this.#isReading = false;
  }

  /**
   * Accounts for the keywords that a parameter or a header of Swagger 2.0 has of its own.
   *
   * @param others Its members that are not keywords, though some are called like one.
   */
  readInline(owner: Member, others: Members): void {
    for (const name of owner.names()) {
      const keyword = Object.hasOwn(others, name) ? undefined : KEYWORDS.get(name);
      if (keyword === undefined) continue;
      const member = owner.get(name) as Member;
      member.whole();
      this.#readKeyword(keyword, member.value, member);
    }
  }

  /** @returns The schema that a reference leads to, and what the reference calls it. */
  named(member: Member): NamedSchema {
    const reference = referenceIn(member.value);
    const isAlone = reference !== undefined && exampleIn(member.value) === undefined;
    const target = (isAlone ? this.#references.follow(member) : undefined) ?? member;
    const schema = target.file === this.#entry ? target.value : this.#copyOf(target);
    return { schema, name: nameIn(reference), resolve: this.#resolve };
  }

  /** @returns A value that fits the schema, as far as one is easily found. The same for the same schema. */
  sample(schema: unknown): SchemaSample {
    let sample = this.#samples.get(schema);
    if (sample === undefined) {
      const example = exampleIn(schema);
      sample =
        example === undefined
          ? { ...asWritten(sampleSchema(schema, this.#resolve, this.#budget, this.#keepsLeaves)), isExample: false }
          : { value: example.value, isExample: true };
      this.#samples.set(schema, sample);
    }
    return sample;
  }

  /** Whether an example fits its schema, as far as that can be decided. */
  fits(schema: unknown, value: unknown): boolean {
    const run = new SampleRun(this.#resolve, this.#checks, false, undefined);
    const isFit = fits(run, schema, value);
    run.settle();
    return isFit;
  }

  readonly #resolve = (reference: string): unknown => {
    const [, file, own] = COPIED.exec(reference) ?? [];
    const found =
      file === undefined || own === undefined
        ? this.#references.findAgain(reference, this.#entry)
        : this.#references.findAgain(own, decodeURIComponent(file));
    return found === undefined || found.file === this.#entry ? found?.value : this.#copyOf(found);
  };

  /** A sampler sees the text of references alone: in a copy, those of another file say which file they are of. */
  #copyOf({ value, file }: Member): unknown {
    let copy = this.#copies.get(value);
    if (copy === undefined) this.#copies.set(value, (copy = copied(value, file)));
    return copy;
  }

  #readSchema(schema: unknown, place: Member): void {
    if (!isObject(schema)) {
      this.#report.count(typeof schema === 'boolean' ? 'openapi.schema' : 'openapi.keyword');
      return;
    }
    if (this.#read.has(schema)) return;
    this.#read.add(schema);
    this.#report.count('openapi.schema');
    for (const [name, value] of Object.entries(schema)) {
      const keyword = KEYWORDS.get(name);
      if (keyword === undefined) {
        const isExtension = name.startsWith('x-');
        if (isExtension) this.#report.count('openapi.description', valuesIn(value));
        else this.#report.count('openapi.keyword');
      } else this.#readKeyword(keyword, value, place);
    }
    const reference = referenceIn(schema);
    if (reference === undefined) return;
    const target = this.#references.find(reference, place.file);
    if (target === undefined) this.#report.itemOf(place).note('openapi.part', place, reference);
    else this.read(target);
  }

  #readKeyword(keyword: Keyword, value: unknown, place: Member): void {
    const report = this.#report;
    if (typeof keyword !== 'string') {
      const isKnown = keyword.some((kind) => isOf(kind, value));
      report.count(isKnown ? 'openapi.schema' : 'openapi.keyword', isKnown ? valuesIn(value) : 1);
    } else if (keyword === 'schema') this.#readSchema(value, place);
    else if (keyword === 'schemas') {
      report.count('openapi.schema');
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) this.#readSchema(each, place);
    } else if (isObject(value)) {
      report.count('openapi.schema');
      for (const each of Object.values(value)) {
        if (keyword === 'lists' && Array.isArray(each)) report.count('openapi.schema', valuesIn(each));
        else this.#readSchema(each, place);
      }
    } else report.count('openapi.keyword');
  }
}

/** An example that a schema has of its own. */
function exampleIn(schema: unknown): { readonly value: unknown } | undefined {
  if (!isObject(schema)) return undefined;
  const { example, examples } = schema;
  // A null says nothing: tools write it for no example.
  if (example !== undefined && example !== null) return { value: example };
  return Array.isArray(examples) && examples.length > 0 ? { value: examples[0] } : undefined;
}

function nameIn(reference = ''): string {
  return /([^/#]+)$/.exec(reference)?.[1]?.replace(/\.(?:ya?ml|json)$/, '') ?? '';
}

const COPIED = /^import:([^:]*):(.*)$/s;

/** Its problem with references as the file has them. */
function asWritten(sample: Sample): Sample {
  const { problem } = sample;
  return problem === undefined ? sample : { ...sample, problem: problem.replaceAll(/\bimport:[^:\s]*:/g, '') };
}

function copied(value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => copied(each, file));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      name === '$ref' && typeof each === 'string'
        ? [name, `import:${encodeURIComponent(file)}:${each}`]
        : [name, copied(each, file)],
    ),
  );
}
