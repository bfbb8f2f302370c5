/** Values of examples and samples as bodies of a media type. */
import { mediaType } from '../exchanges/reply-headers.ts';
import { sampleXml } from '../schema-sample.ts';
import { isObject } from '../source/member.ts';

export interface WrittenBody {
  readonly body: string;
  /** Whether the media type has another way to write such a value, which is not known. */
  readonly isDoubtful: boolean;
}

const JSON_TYPE = /[/+.-]json$/;
const XML_TYPE = /[/+]xml$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';

export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(mediaType(type));
}

export function isXmlType(type: string): boolean {
  return XML_TYPE.test(mediaType(type));
}

/**
 * @param value  As the document has it.
 * @param schema With the names of XML elements, where there is one.
 * @param name   Of the outermost XML element, where the schema has none.
 */
export function writeBody(value: unknown, type: string, schema: unknown, name: string): WrittenBody {
  if (isJsonType(type)) return writeJson(value, schema);
  if (typeof value === 'string') return { body: value, isDoubtful: false };
  if (value === undefined || value === null) return { body: '', isDoubtful: value === null };
  if (isXmlType(type))
    return { body: sampleXml(xmlName(schema) ?? (name === '' ? 'root' : name), value, schema), isDoubtful: true };
  if (mediaType(type) === FORM_TYPE && isObject(value)) return writeForm(value);
  return { body: JSON.stringify(value), isDoubtful: typeof value === 'object' };
}

/** Documents often hold JSON as a text: where no schema says that the body is a text, it is meant as it is written. */
function writeJson(value: unknown, schema: unknown): WrittenBody {
  const isText =
    isObject(schema) && (schema.type === 'string' || (schema.type === undefined && schema.format !== undefined));
  if (typeof value !== 'string' || isText || !/^\s*[[{]/.test(value)) {
    return { body: JSON.stringify(value) ?? '', isDoubtful: value === undefined };
  }
  return isJson(value) ? { body: value, isDoubtful: true } : { body: JSON.stringify(value), isDoubtful: false };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function writeForm(value: Readonly<Record<string, unknown>>): WrittenBody {
  const form = new URLSearchParams();
  let isDoubtful = false;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === 'object' && each !== null) isDoubtful = true;
    form.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  return { body: form.toString(), isDoubtful };
}

function xmlName(schema: unknown): string | undefined {
  if (!isObject(schema) || !isObject(schema.xml)) return undefined;
  const { name } = schema.xml;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
