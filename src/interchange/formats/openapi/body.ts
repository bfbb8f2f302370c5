/** Values of examples and samples as bodies of a media type. */
import { printJson } from '../../../base/written-numbers.ts';
import { essenceOf } from '../../../base/content-type.ts';
import { isObject } from '../../../base/json-object.ts';
import { sampleXml } from '../../samples/sample-xml.ts';
import type { NamedSchema } from './schema.ts';

interface WrittenBody {
  readonly body: string;
  /** Whether the media type has another way to write such a value, which is not known. */
  readonly isDoubtful: boolean;
}

const JSON_TYPE = /[/+.-]json$/;
const XML_TYPE = /[/+]xml$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';

export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(essenceOf(type));
}

function isXmlType(type: string): boolean {
  return XML_TYPE.test(essenceOf(type));
}

/**
 * @param value As the document has it.
 * @param form  Says whether it is a text, and how XML is written.
 */
export function writeBody(value: unknown, type: string, form: NamedSchema | undefined): WrittenBody {
  if (isJsonType(type)) return writeJson(value, form?.schema);
  if (typeof value === 'string') return { body: value, isDoubtful: false };
  if (value === undefined || value === null) return { body: '', isDoubtful: value === null };
  if (isXmlType(type)) return { body: xmlOf(value, form), isDoubtful: true };
  if (essenceOf(type) === FORM_TYPE && isObject(value)) return writeForm(value);
  return { body: jsonOf(value), isDoubtful: typeof value === 'object' };
}

/** Documents often hold JSON as a text: where no schema says that the body is a text, it is meant as it is written. */
function writeJson(value: unknown, schema: unknown): WrittenBody {
  const isText =
    isObject(schema) && (schema.type === 'string' || (schema.type === undefined && schema.format !== undefined));
  if (typeof value !== 'string' || isText || !/^\s*[[{]/.test(value)) {
    return { body: jsonOf(value), isDoubtful: value === undefined };
  }
  return isJson(value) ? { body: value, isDoubtful: true } : { body: printJson(value), isDoubtful: false };
}

/** Texts of values that many responses have: an error of all operations is one text in memory. */
const jsonTexts = new WeakMap<object, string>();
const xmlTexts = new WeakMap<object, { readonly form: NamedSchema | undefined; readonly text: string }>();

function jsonOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const text = jsonTexts.get(value) ?? printJson(value);
  jsonTexts.set(value, text);
  return text;
}

function xmlOf(value: unknown, form: NamedSchema | undefined): string {
  const known = typeof value === 'object' && value !== null ? xmlTexts.get(value) : undefined;
  if (known !== undefined && known.form?.schema === form?.schema && known.form?.name === form?.name) return known.text;
  const name = form === undefined || form.name === '' ? 'root' : form.name;
  const text = sampleXml(name, value, form?.schema, form?.resolve);
  if (typeof value === 'object' && value !== null) xmlTexts.set(value, { form, text });
  return text;
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
    form.append(name, typeof each === 'string' ? each : printJson(each));
  }
  return { body: form.toString(), isDoubtful };
}
