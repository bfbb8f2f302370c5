/** Bodies of recorded stubs that become files, since they are larger than a client wants to read in a stub. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { essenceOf } from '../../../base/content-type.ts';

/** Sizes above which a body becomes a file. */
export interface ExtractCriteria {
  readonly textChars: number;
  readonly binaryBytes: number;
}

interface ExtractedBodies {
  readonly stubs: readonly JsonObject[];
  /** By name. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export function extractBodies(
  stubs: readonly JsonObject[],
  { textChars, binaryBytes }: ExtractCriteria,
): ExtractedBodies {
  const files = new Map<string, Buffer>();
  const own = stubs.map((stub) => {
    const { body, base64Body, ...response } = stub.response as Response;
    if (body === undefined && base64Body === undefined) return stub;
    const bytes = base64Body === undefined ? Buffer.from(body ?? '') : Buffer.from(base64Body, 'base64');
    const type = contentTypeOf(response);
    const isLarge = TEXT.test(type) ? bytes.toString().length > textChars : bytes.length > binaryBytes;
    if (!isLarge) return stub;
    const bodyFileName = fileNameOf(stub, type, bytes);
    files.set(bodyFileName, bytes);
    return { ...stub, response: { ...response, bodyFileName } };
  });
  return { stubs: own, files };
}

interface Response extends JsonObject {
  readonly body?: string;
  readonly base64Body?: string;
}

const TEXT = /text|json|xml|html|yaml|csv|x-www-form-urlencoded/;

function contentTypeOf({ headers }: JsonObject): string {
  if (!isObject(headers)) return '';
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const [first] = [value].flat();
  return typeof first === 'string' ? essenceOf(first) : '';
}

/** Names a file like WireMock. */
function fileNameOf({ id, name, request }: JsonObject, type: string, bytes: Buffer): string {
  const { method, url, urlPath = url ?? '' } = request as Record<string, string | undefined>;
  const [path] = urlPath.split('?') as [string];
  const stem = name === '' ? `${method}-${path}` : String(name);
  return `${stem}-${String(id)}.${endingOf(path, type, bytes)}`.replaceAll(/[^\w.-]/g, '').toLowerCase();
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'image/png': 'png',
  'image/x-icon': 'ico',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'video/mpeg': 'mp2',
  'application/pdf': 'pdf',
};

function endingOf(path: string, type: string, bytes: Buffer): string {
  const [, kind] = /(json|xml|text)/.exec(type) ?? [];
  if (kind !== undefined) return kind === 'text' ? 'txt' : kind;
  const [, ending] = /\.([^./]+)$/.exec(path) ?? [];
  return ENDINGS[type] ?? ending ?? (isJson(bytes) ? 'json' : 'txt');
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}
