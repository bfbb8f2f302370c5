/**
 * Large documents of real interfaces, from packages that publish them: every operation answers its first success, and the body fits its
 * schema by an independent validator.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { MockImport } from '../../src/interchange/import-mocks.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { definitionOf, imported } from '../support/imports.ts';
import { compile, compiledAnswer, request } from '../support/mocks.ts';

const SUCCESS_SHARE_MIN = 0.98;
const FIT_SHARE_MIN = 0.95;
const READ_CPU_MS_MAX = 4_000;
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

type Node = Readonly<Record<string, unknown>>;

/** `npm ci --prefix test/clients` installs them. */
const DOCUMENTS = new URL('../clients/node_modules/', import.meta.url);

test.skipIf(!existsSync(DOCUMENTS)).each([
  ['@readme/oas-examples/3.0/json/star-trek.json', 120],
  ['@readme/oas-examples/3.1/json/readme.json', 54],
  ['@netlify/open-api/dist/swagger.json', 181],
  ['@figma/rest-api-spec/openapi/openapi.yaml', 54],
  ['@directus/openapi/dist/oas.json', 206],
])('%s', (name, routes) => {
  const text = readFileSync(new URL(name, DOCUMENTS), 'utf8');
  let read: MockImport | undefined;
  expect(cpuMs(() => (read = imported(text)))).toBeLessThan(READ_CPU_MS_MAX);
  const found = read as MockImport;
  const definition = definitionOf(found);
  expect(definition.routes).toHaveLength(routes);

  const document = (name.endsWith('.yaml') ? load(text) : JSON.parse(text)) as Node;
  const mock = compile(definition);
  const validate = validatorOf(document);
  const operations = operationsIn(document);
  const wrong: string[] = [];
  const unfit: string[] = [];
  let bodies = 0;
  for (const { method, path, status, schema } of operations) {
    const answer = compiledAnswer(mock, request(method, path));
    if (!answer?.status?.toString().startsWith(String(status))) wrong.push(`${method} ${path}: ${answer?.status}`);
    else if (schema !== undefined) {
      bodies++;
      const body = Buffer.from(answer.body ?? '', 'latin1').toString();
      if (!isFit(body, validate(schema))) unfit.push(`${method} ${path}`);
    }
  }
  const { exact = 0, approximated = 0, dropped = 0 } = found.report.items.routes ?? {};
  expect(exact + approximated + dropped).toBe(operations.length);
  expect(1 - wrong.length / operations.length, wrong.join('\n')).toBeGreaterThanOrEqual(SUCCESS_SHARE_MIN);
  expect(bodies).toBeGreaterThan(routes / 4);
  expect(1 - unfit.length / bodies, unfit.join('\n')).toBeGreaterThanOrEqual(FIT_SHARE_MIN);
});

interface Operation {
  readonly method: string;
  /** With a value for each parameter. */
  readonly path: string;
  readonly status: number;
  /** Pointer to the schema of its JSON body. */
  readonly schema: string | undefined;
}

function operationsIn(document: Node): Operation[] {
  const base = baseOf(document);
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths as Node)) {
    for (const [method, operation] of Object.entries(item as Node)) {
      if (!METHODS.has(method)) continue;
      const responses = (operation as Node).responses as Node;
      const codes = Object.keys(responses).filter((code) => /^[23]\d\d$/.test(code));
      const [first = 'default'] = codes.toSorted();
      const place = `/paths/${escaped(path)}/${method}/responses/${first}`;
      operations.push({
        method: method.toUpperCase(),
        path: `${base}${path.replaceAll(/\{[^}]*\}/g, '7')}`,
        status: first === 'default' ? 200 : Number(first),
        schema: schemaOf(document, responses[first] as Node, place),
      });
    }
  }
  return operations;
}

function baseOf({ basePath, servers = [] }: Node): string {
  const [{ url = '' } = {}] = servers as readonly { url?: string }[];
  const path =
    typeof basePath === 'string' ? basePath : new URL(url.replaceAll(/[{}]/g, ''), 'http://base.test').pathname;
  return path.replace(/\/$/, '');
}

function schemaOf(document: Node, response: Node, place: string): string | undefined {
  if (typeof response.$ref === 'string') {
    const target = response.$ref.slice(1);
    return schemaOf(document, at(document, target), target);
  }
  if ('swagger' in document) return response.schema === undefined ? undefined : `${place}/schema`;
  const media = (response.content as Node | undefined)?.['application/json'] as Node | undefined;
  return media?.schema === undefined ? undefined : `${place}/content/application~1json/schema`;
}

function at(document: Node, pointer: string): Node {
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((found, name) => found[name] as Node, document);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function validatorOf(document: Node): (pointer: string) => ValidateFunction {
  const options = { strict: false, validateSchema: false, logger: false, allErrors: false } as const;
  const ajv = String(document.openapi).startsWith('3.1') ? new Ajv2020(options) : new Ajv(options);
  addFormats.default(ajv);
  ajv.addSchema({ ...(upgraded(document) as Node), $id: 'http://document.test/' });
  return (pointer) => ajv.compile({ $ref: `http://document.test/#${encodeURI(pointer)}` });
}

/** As JSON Schema has it: a null beside the type, and exclusive bounds that are numbers. */
function upgraded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(upgraded);
  const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, upgraded(each)])) as Record<
    string,
    unknown
  >;
  if (copy.nullable === true && typeof copy.type === 'string') copy.type = [copy.type, 'null'];
  if (copy.nullable === true && Array.isArray(copy.enum)) copy.enum = [...(copy.enum as unknown[]), null];
  Reflect.deleteProperty(copy, 'nullable');
  for (const name of ['exclusiveMinimum', 'exclusiveMaximum']) {
    if (typeof copy[name] === 'boolean') Reflect.deleteProperty(copy, name);
  }
  return copy;
}

function isFit(body: string, fits: ValidateFunction): boolean {
  try {
    return fits(JSON.parse(body));
  } catch {
    return false;
  }
}
