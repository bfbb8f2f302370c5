/** The OpenAPI document as a document in Markdown: each endpoint by its tag, and the shapes that several of them share. */
import { anchorOf } from './render.mjs';

const SCHEMAS = '#/components/schemas/';
/** Longer lists of values are truncated; the OpenAPI document has all. */
const VALUES_MAX = 20;

/** @param {string} href Leads from the page to the OpenAPI document. @returns {string} */
export function endpointsDocument({ info, tags, paths, components }, href) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
  );
  const contents = [...tags.map(({ name }) => name), 'Shapes'].map((name) => `[${name}](#${anchorOf(name)})`);
  const blocks = [
    '# Endpoints',
    contents.join(' · '),
    `Every endpoint of version ${info.version}, made of its [OpenAPI document](${href}), which a server has at ` +
      '`/v1/openapi.json`. Errors, limits and the JavaScript client: [the API](api.md).',
  ];
  for (const { name, description } of tags) {
    const own = operations.filter((operation) => operation.tags.includes(name));
    blocks.push(`## ${name}`, description, ...own.flatMap(operationBlocks));
  }
  blocks.push('## Shapes', 'What several endpoints take or answer.');
  for (const [name, schema] of Object.entries(components.schemas)) {
    blocks.push(`### ${name}`, ...(schema.description ? [schema.description] : []), ...membersTable(schema));
  }
  return `${blocks.join('\n\n')}\n`;
}

function operationBlocks({ name, summary, parameters = [], requestBody, responses, security }) {
  const rows = parameters.map(({ name: parameter, in: place, required, description, schema }) => [
    `\`${parameter}\`${required ? '' : ', optional'}`,
    place,
    typeOf(schema),
    description,
  ]);
  const body = requestBody?.content['application/json'].schema;
  const { 200: success, ...refusals } = responses;
  const errors = Object.entries(refusals).map(([status, { description }]) =>
    status === 'default' ? description : `${status} ${description}`,
  );
  return [
    `### \`${name}\``,
    `${summary}.${security?.length === 0 ? ' Without a key.' : ''}`,
    ...table(['parameter', 'in', 'type', ''], rows),
    ...(body === undefined ? [] : [`Body: ${typeOf(body)}.${body.description ? ` ${body.description}` : ''}`]),
    ...(body?.$ref === undefined ? membersTable(body ?? {}) : []),
    `Answer: ${answerOf(success)}.`,
    ...(errors.length === 0 ? [] : [`Otherwise: ${errors.join(' · ')}`]),
  ];
}

function answerOf({ content, description }) {
  const [[mediaType, { schema }]] = Object.entries(content);
  if (schema === undefined) return description;
  if (mediaType !== 'application/json') return mediaType === '*/*' ? 'the file' : `\`${mediaType}\``;
  const { success: _success, ...members } = schema.properties;
  return Object.entries(members)
    .map(([name, member]) => `\`${name}\` (${typeOf(member, 1)})`)
    .join(', ');
}

function membersTable({ properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\`${required.includes(name) ? '' : ', optional'}`,
    typeOf(schema, 1),
    schema.description,
  ]);
  return table(['member', 'type', ''], rows);
}

function table(heads, rows) {
  if (rows.length === 0) return [];
  const line = (cells) =>
    `| ${cells.map((cell = '') => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [[line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')];
}

/** @param {number} depth How deep the members of objects are named. */
function typeOf(schema, depth = 0) {
  if (schema.$ref?.startsWith(SCHEMAS)) {
    const name = schema.$ref.slice(SCHEMAS.length);
    return `[${name}](#${anchorOf(name)})`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => typeOf(each, depth)))].join(' or ');
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    const shown = schema.enum.slice(0, VALUES_MAX).map((value) => `\`${JSON.stringify(value)}\``);
    return `${shown.join(', ')}${schema.enum.length > VALUES_MAX ? ', …' : ''}`;
  }
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {}, depth)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  const names = Object.keys(schema.properties ?? {});
  if (schema.type !== 'object' || depth === 0 || names.length === 0) return schema.type ?? 'any value';
  return `object of ${names.map((name) => `\`${name}\``).join(', ')}`;
}
