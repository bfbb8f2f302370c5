/** The client against the OpenAPI document: what the server documents, the client has; what is written by hand fits. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startSwitchyard, type Switchyard } from 'switchyard';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

let switchyard: Switchyard;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
beforeAll(async () => {
  switchyard = await startSwitchyard();
  const response = await fetch(`${switchyard.apiUrl}/openapi.json`);
  ({ paths } = (await response.json()) as { paths: typeof paths });
});
afterAll(() => switchyard?.stop());

/** Server-sent events are read with EventSource or curl. */
const LEFT_OUT = new Set(['GET /mocks/:/requests/stream']);

test('every operation on mocks, rules and groups has a method', async () => {
  const documented = Object.entries(paths)
    .filter(([path]) => /^(\/v1)?\/(mocks|rules|groups)\b/.test(path))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) => `${method.toUpperCase()} ${path.replace(/^\/v1/, '').replaceAll(/\{[^}]+\}/g, ':')}`,
      ),
    )
    .filter((operation) => !LEFT_OUT.has(operation));
  expect(documented.length).toBeGreaterThan(30);

  const sent = new Set<string>();
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { pathname } = input as URL;
    sent.add(`${init?.method} ${pathname.replace(/^\/v1/, '').replaceAll(/(?<=\/)(i\d)(?=\/|$)/g, ':')}`);
    return Promise.resolve(Response.json({ success: true, data: {} }));
  };
  const { mocks, rules, groups } = switchyard.client;
  try {
    for (const target of [mocks, mocks.staged, rules, groups]) {
      const methods = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(target) as object));
      for (const [name, { value }] of methods) {
        if (['constructor', 'urlFor', 'fetch'].includes(name)) continue;
        const method = value as (...ids: string[]) => Promise<unknown>;
        await (name === 'list' ? method.call(target) : method.call(target, 'i1', 'i2', 'i3'));
      }
    }
  } finally {
    globalThis.fetch = real;
  }
  expect(documented.filter((operation) => !sent.has(operation))).toEqual([]);
});

test('the shapes written by hand have the members of the documented ones', async () => {
  const source = readFileSync(resolve(import.meta.dirname, '../../src/client/shapes.ts'), 'utf8');
  const membersOf = (name: string): string[] => {
    const body =
      new RegExp(`export interface ${name} (?:extends \\w+ )?\\{\\n(.*?)\\n\\}`, 's').exec(source)?.[1] ?? '';
    return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member as string).toSorted();
  };
  const queryOf = paths['/v1/mocks/{id}/requests']?.get?.parameters?.filter((each) => each.in === 'query') ?? [];
  expect(membersOf('RequestQuery')).toEqual(queryOf.map(({ name }) => name).toSorted());

  const { mocks } = switchyard.client;
  const mock = await mocks.create({ name: 'm', start: true });
  await mocks.fetch(mock, '/');
  const page = await mocks.requests(mock.id);
  expect(Object.keys(page).toSorted()).toEqual(membersOf('RequestPage'));
  const [record = {}] = page.records;
  expect([...Object.keys(record), 'problem'].toSorted()).toEqual(membersOf('RequestRecord'));
  expect(Object.keys(await mocks.counts(mock.id)).toSorted()).toEqual(membersOf('RequestCounts'));
  const missed = await mocks.verify(mock.id, { match: {}, exactly: 9 });
  expect(Object.keys(missed).toSorted()).toEqual(membersOf('Verification'));
  const [version = {}] = await mocks.versions(mock.id);
  expect(Object.keys(version).toSorted()).toEqual(membersOf('VersionRecord'));
});
