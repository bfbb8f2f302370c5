/** Resources: what a client may read by address. Documents by section, the API in short, and mocks as files. */
import type { JsonObject } from '../base/json-object.ts';
import { SwitchyardError } from '../client/switchyard-error.ts';
import { ANSWER_BYTES_MAX, answerText } from './answer.ts';
import type { Api } from './tools/tool.ts';
import { sections } from './tools/documents.ts';

const SCHEME = 'switchyard://';
const MOCKS_LISTED = 75;

interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

interface Content {
  readonly mimeType: string;
  readonly text: string;
}

const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

/** Sections of which each has a place in the list: what agents ask for. The others are found by docs_search. */
const LISTED = /^(?:mocks-|(?:cheat-sheet|callbacks|templates|rules|interchange|agents)(?:#|$))/;

export const RESOURCE_TEMPLATES = [
  { uriTemplate: `${SCHEME}docs/{section}`, name: 'document', title: 'A section of the documents', mimeType: MARKDOWN },
  { uriTemplate: `${SCHEME}mocks/{id}`, name: 'mock', title: 'A mock as its file', mimeType: JSON_TYPE },
] as const;

export async function listResources(api: Api): Promise<ListedResource[]> {
  const documents = (await sections())
    .filter(({ id }) => LISTED.test(id))
    .map(({ id, title }) => ({ uri: `${SCHEME}docs/${id}`, name: id, title: title.slice(0, 60), mimeType: MARKDOWN }));
  const { records } = await api.mocks.list({ pageSize: MOCKS_LISTED });
  const mocks = records.map(({ id, name }) => ({
    uri: `${SCHEME}mocks/${id}`,
    name: id,
    title: name.slice(0, 60),
    mimeType: JSON_TYPE,
  }));
  return [
    { uri: `${SCHEME}openapi`, name: 'openapi', title: 'The API in short', mimeType: JSON_TYPE },
    ...mocks,
    ...documents,
  ];
}

/** @returns undefined for an address that names nothing. */
export async function readResource(api: Api, uri: string): Promise<Content | undefined> {
  const [, kind = '', rest = ''] = /^switchyard:\/\/(docs|mocks|openapi)(?:\/(.+))?$/.exec(uri) ?? [];
  if (kind === 'openapi') return { mimeType: JSON_TYPE, text: answerText({ data: await apiInShort(api) }) };
  // A URL takes these for a step.
  if (/^\.{0,2}$/.test(rest)) return undefined;
  if (kind === 'docs') {
    const section = (await sections()).find(
      ({ id }) => id === rest || encodeURI(id) === rest || encodeURIComponent(id) === rest,
    );
    return section && { mimeType: MARKDOWN, text: section.text.slice(0, ANSWER_BYTES_MAX) };
  }
  try {
    const { file } = await api.mocks.export(rest);
    const bytes = Buffer.byteLength(file);
    if (bytes <= ANSWER_BYTES_MAX) return { mimeType: JSON_TYPE, text: file };
    return { mimeType: 'text/plain', text: `The file has ${bytes} bytes: run \`switchyard export ${rest}\`.` };
  } catch (error) {
    // 400: what cannot be an id.
    if (error instanceof SwitchyardError && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  }
}

/** Each operation on a line. */
async function apiInShort(api: Api): Promise<object> {
  const document = JSON.parse(await api.transport.text(['openapi.json'], {})) as JsonObject;
  const paths = (document['paths'] ?? {}) as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        typeof operation['summary'] === 'string' ? [[`${method.toUpperCase()} ${path}`, operation['summary']]] : [],
      ),
    ),
  );
}
